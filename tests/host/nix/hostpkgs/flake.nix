# A stand-in with nixpkgs' shape, for tests on machines that cannot reach nixpkgs: its packages are links to what the
# machine has. All that flake.nix and envs/ do with them runs for real.
{
  description = "The host's tools in the shape of nixpkgs";
  outputs = { self }: {
    legacyPackages.x86_64-linux = import ./. { system = "x86_64-linux"; };
  };
}
