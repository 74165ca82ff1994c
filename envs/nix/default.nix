# What all stacks share: fetching, the Python environment, the Go tools, parts and stack folders, shells.
{ pkgs }:
let
  hashes = builtins.fromJSON (builtins.readFile ./hashes.json);
  fetch = import ./fetch.nix { inherit pkgs hashes; };
  python = import ./python.nix { inherit pkgs fetch; };
  tools = import ./tools.nix { inherit pkgs fetch python; };
  part = import ./part.nix { inherit pkgs fetch; };
  stack = import ./stack.nix { inherit pkgs part; };
  environment = import ./environment.nix { inherit pkgs python tools; };
in
{
  inherit pkgs python tools stack;
  inherit (tools) linkpipe;
  inherit (environment) shell reproduce;

  # Every byte of a stack's folder as its parts and their locks say, and every program answering with its version.
  verified = { name, folder, ... }: pkgs.runCommand "verified-${name}" { nativeBuildInputs = [ python ]; } ''
    mkdir root && ln -s ${../../src} root/src && ln -s ${../../tools} root/tools
    cp -r ${builtins.path { path = ../.; name = "envs"; }} root/envs
    export HOME=$PWD LONGLOOK_ROOT=$PWD/root LONGLOOK_CACHE=$PWD/cache
    export LONGLOOK_TOOL_GQUICD=${tools.variables.LONGLOOK_TOOL_GQUICD} LONGLOOK_STACK_${pkgs.lib.toUpper name}=${folder}
    longlook stack show ${name} | tee $out
  '';

  toolsRun = pkgs.runCommand "tools-run" { } ''
    ${tools.gquicd}/bin/gquicd -version | tee $out
    ${tools.linkpipe}/bin/linkpipe -version | tee -a $out
  '';
}
