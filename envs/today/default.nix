# quicv1 with the newest browser, for Nix; what it is made of is in stack.toml and the parts.
{ common }:
let stack = common.stack { folder = ./.; }; in
stack // {
  packages = {
    chromium-153 = stack.built.chromium;
    stack-today = stack.folder;
  };
}
