# The stack of 2017 for Nix; what it is made of is in stack.toml and the parts.
{ common }:
let
  stack = common.stack { folder = ./.; };
  ubuntu = import ./ubuntu-18.nix { inherit (common) pkgs; inherit stack; };
in
stack // ubuntu // {
  packages = {
    chromium-64 = stack.built.chromium;
    gquicd = common.tools.gquicd;
    stack-gquic37 = stack.folder;
  };
}
