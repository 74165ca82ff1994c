# What a shell offers, and the same for `nix run .#reproduce`: programs on PATH, and variables that tell longlook and
# the Makefile where everything is, so that they install nothing.
{ pkgs, python, tools }:
let
  programs = [
    python
    pkgs.bash pkgs.coreutils pkgs.findutils pkgs.gawk pkgs.git pkgs.gnugrep pkgs.gnumake pkgs.gnused
    pkgs.apacheHttpd pkgs.nodejs_22 pkgs.go pkgs.gnupatch pkgs.brotli
    pkgs.iproute2 pkgs.ethtool pkgs.iperf3 pkgs.tcpdump pkgs.tshark pkgs.iputils pkgs.util-linux
  ];
  variables = stacks: tools.variables // {
    LONGLOOK_NIX = "1";
    LONGLOOK_STACKS = builtins.concatStringsSep " " (map (stack: stack.name) stacks);
  } // builtins.listToAttrs (map (stack: { name = "LONGLOOK_STACK_${pkgs.lib.toUpper stack.name}"; value = "${stack.folder}"; }) stacks);
  checkout = ''
    # Nix's own temporary folder is closed to the servers, which run as nobody.
    unset TMPDIR TEMPDIR TMP TEMP
    export LONGLOOK_ROOT=$(git rev-parse --show-toplevel 2>/dev/null || pwd)
    [ -f "$LONGLOOK_ROOT/flake.nix" ] || { echo "longlook: $LONGLOOK_ROOT is no checkout of this repository: enter it first" >&2; false; }
  '';
  exports = set: builtins.concatStringsSep "\n" (builtins.attrValues (builtins.mapAttrs (name: value: "export ${name}=${pkgs.lib.escapeShellArg value}") set));
in
{
  shell = { name, stacks }: pkgs.mkShell (variables stacks // {
    name = "longlook-${name}";
    packages = programs;
    shellHook = checkout;
  });

  # In a checkout, as root: `nix run .#reproduce`, with what `make` takes (SWEEP=figure-4.6a).
  reproduce = { stacks }: {
    type = "app";
    program = "${pkgs.writeShellScriptBin "longlook-reproduce" ''
      set -euo pipefail
      export PATH=${pkgs.lib.makeBinPath programs}:$PATH IN_NIX_SHELL=pure
      ${exports (variables stacks)}
      ${checkout}
      exec make --no-print-directory -C "$LONGLOOK_ROOT" reproduce "$@"
    ''}/bin/longlook-reproduce";
  };
}
