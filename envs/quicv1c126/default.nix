# quicv1 with a newer browser, for Nix; what it is made of is in stack.toml and the parts.
{ common }:
let stack = common.stack { folder = ./.; }; in
stack // {
  packages = {
    chromium-126 = stack.built.chromium;
    stack-quicv1c126 = stack.folder;
  };
}
