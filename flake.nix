# A table of contents: what is built is said in envs/, what is fetched in envs/nix/fetch.nix, versions and
# hashes in the stack.toml, variants.toml, part.toml and lock files that `make` reads too. envs/README.md lists every
# attribute of nixpkgs used.
{
  description = "An executable book: QUIC against TCP with the software of 2017 and of 2024";

  inputs = {
    # nixos-25.05: the tools below the stacks.
    nixpkgs.url = "github:NixOS/nixpkgs/ac62194c3917d5f474c1a844b6fd6da2db95077d";
    # 17.09: the software of 2017 as it was packaged then. It is older than flakes.
    nixpkgs-2017 = {
      url = "github:NixOS/nixpkgs/39cd40f7bea40116ecb756d46a687bfd0d2e550e";
      flake = false;
    };
  };

  outputs = { self, nixpkgs, nixpkgs-2017 }:
    let
      system = "x86_64-linux";
      pkgs = nixpkgs.legacyPackages.${system};
      pkgs2017 = import nixpkgs-2017 { inherit system; config = { }; overlays = [ ]; };

      common = import ./envs/nix { inherit pkgs; };
      stack = name: common.stack { inherit name; };
      quicv1 = stack "quicv1";
      quicv1c126 = stack "quicv1c126";
      gquic37 = stack "gquic37";
      ubuntu = import ./envs/gquic37/ubuntu-18.nix { inherit pkgs; stack = gquic37; };
      today = stack "today";
      # The stacks of the chapter on the years, each with its browser or its Envoy.
      years = map stack [
        "c64q039" "c65" "c65q037" "c69" "c69q039" "c72" "c72q039" "c76" "c76q039" "c76nocache" "c76blinkcors" "c76neither"
        "c80" "c83" "c85" "c88" "c88q043" "c92" "c92d29" "c92q043" "c103" "c103d29" "c119" "c119d29" "c133" "c133d29"
        "c133x25519" "c143" "c143d29" "c153d29" "e136" "e137" "e138" "e139"
      ];
      gquic37nix = common.stack { name = "gquic37nix"; given.chromium-2017 = "${pkgs2017.chromium}/bin/chromium"; };
      inherit (common) shell;
    in
    {
      devShells.${system} = {
        default = shell { name = "longlook"; stacks = [ quicv1 gquic37 ]; };
        quicv1 = shell { name = "quicv1"; stacks = [ quicv1 ]; };
        quicv1c126 = shell { name = "quicv1c126"; stacks = [ quicv1c126 ]; };
        gquic37 = shell { name = "gquic37"; stacks = [ gquic37 ]; };
        gquic37nix = shell { name = "gquic37nix"; stacks = [ gquic37nix ]; };
        today = shell { name = "today"; stacks = [ today ]; };
        years = shell { name = "years"; stacks = [ quicv1 gquic37 today ] ++ years; };
        book = shell { name = "book"; stacks = [ ]; };
      };

      packages.${system} = {
        inherit (common) python linkpipe;
        inherit (quicv1.built) envoy;
        inherit (common.tools) gquicd;
        chromium-64 = gquic37.built.chromium;
        chromium-111 = quicv1.built.chromium;
        chromium-126 = quicv1c126.built.chromium;
        chromium-153 = today.built.chromium;
        stack-gquic37 = gquic37.folder;
        stack-quicv1 = quicv1.folder;
        stack-quicv1c126 = quicv1c126.folder;
        stack-today = today.folder;
        chromium-2017 = pkgs2017.chromium;
        default = common.python;
      };

      # Not among the packages: it is evaluated by building, which `nix flake show` and `check` must not do.
      legacyPackages.${system} = { inherit (ubuntu) ubuntu-18 stack-gquic37-ubuntu-18; };

      apps.${system}.reproduce = common.reproduce { stacks = [ quicv1 gquic37 ]; };

      checks.${system} = {
        stack-quicv1 = common.verified quicv1;
        stack-gquic37 = common.verified gquic37;
        tools = common.toolsRun;
      };
    };
}
