# The stack of 2024 for Nix; what it is made of is in stack.toml and the parts.
{ common }:
let stack = common.stack { folder = ./.; }; in
stack // {
  packages = {
    chromium-111 = stack.built.chromium;
    envoy = stack.built.envoy;
    stack-quicv1 = stack.folder;
  };
}
