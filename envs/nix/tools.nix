# Our Go programs, built by the same code as without Nix (src/longlook/stack/gobuild.py), from a module proxy in the store.
{ pkgs, fetch, python }:
let
  names = [ "linkpipe" "gquicd" ];
  source = name: builtins.path { path = ../../tools + "/${name}"; name = "${name}-source"; };
  modules = pkgs.lib.genAttrs names (name: fetch.goModules name (source name));
  # go.sum in the repository holds every module to its checksum; no other service is asked.
  goEnvironment = { GOPROXY = builtins.concatStringsSep "," (map (name: "file://${modules.${name}}") names); GOSUMDB = "off"; GOTOOLCHAIN = "local"; };
  build = name: pkgs.runCommand name (goEnvironment // { nativeBuildInputs = [ python pkgs.go pkgs.gnupatch ]; }) ''
    mkdir -p root/tools $out/bin
    ln -s ${../../src} root/src && ln -s ${source name} root/tools/${name}
    export HOME=$PWD GOFLAGS= GOCACHE=$PWD/go-cache GOMODCACHE=$PWD/go-modules LONGLOOK_ROOT=$PWD/root LONGLOOK_CACHE=$PWD/cache
    built=$(python -c 'from longlook.stack.gobuild import build_tool; print(build_tool("${name}"))')
    install -m755 "$built" $out/bin/${name}
    chmod -R u+w go-modules
  '';
  built = pkgs.lib.genAttrs names build;
in
built // {
  # By these longlook finds the tools; and Go its modules, without a network.
  variables = goEnvironment
    // builtins.listToAttrs (map (name: { name = "LONGLOOK_TOOL_${pkgs.lib.toUpper name}"; value = "${built.${name}}/bin/${name}"; }) names);
}
