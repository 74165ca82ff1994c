# The stack of 2017 for Nix; what it is made of is in stack.toml.
{ common, pkgs2017 }:
let
  stack = common.stack { folder = ./.; };
  ubuntu = import ./ubuntu-18.nix { inherit (common) pkgs; inherit stack; };
in
stack // ubuntu // {
  packages = {
    chromium-64 = stack.built.chromium;
    gquicd = common.tools.gquicd;
    stack-gquic37 = stack.folder;
    # The browser that nixpkgs 17.09 had, built from its own sources by its own tools: for those who want to
    # compare it with Chromium 64. envs/README.md says how, and what could not be checked.
    chromium-2017 = pkgs2017.chromium;
  };
}
