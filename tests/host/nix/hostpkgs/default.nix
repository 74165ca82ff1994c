# See flake.nix. Evaluation is pure: where a program lies is found out while its package is built.
{ system, config ? { }, overlays ? [ ] }:
let
  inherit (builtins) attrValues concatStringsSep listToAttrs mapAttrs;
  lib = import ./lib.nix;

  hostPath = "/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  setup = ''
    export PATH="${hostPath}"
    for input in ''${nativeBuildInputs:-}; do PATH=$input/bin:$PATH; done
  '';
  runCommand = name: attributes: text: derivation (attributes // {
    inherit name system text;
    builder = "/bin/bash";
    args = [ "-euo" "pipefail" "-c" (setup + "cd $NIX_BUILD_TOP; export TMPDIR=$NIX_BUILD_TOP; eval \"$text\"") ];
  });

  # Programs of the host by their names here; the first that is there of several.
  programs = package: names: runCommand package { } ''
    mkdir -p $out/bin
    ${concatStringsSep "\n" (attrValues (mapAttrs (name: places: ''
      for place in ${toString places}; do
        if found=$(command -v $place); then
          printf '#!/bin/bash\nexec %s "$@"\n' "$found" >$out/bin/${name}
          chmod +x $out/bin/${name}
          break
        fi
      done
      [ -e $out/bin/${name} ] || { echo "hostpkgs: this machine has no ${name} (looked for: ${toString places})" >&2; exit 1; }
    '') names))}
  '';
  program = package: names: programs package (listToAttrs (map (name: { inherit name; value = [ name ]; }) names));
  links = package: names: runCommand package { } ''
    mkdir -p $out/bin
    ${concatStringsSep "\n" (map (name: "ln -s $(command -v ${name}) $out/bin/${name}") names)}
  '';
  # Shared libraries of the host.
  libraries = package: names: runCommand package { } ''
    mkdir -p $out/lib
    for name in ${toString names}; do
      place=$(ldconfig -p | awk -v name=$name '$1 == name && /x86-64/ && !seen++ {print $NF}')
      [ -n "$place" ] || { echo "hostpkgs: this machine has no $name" >&2; exit 1; }
      ln -s "$place" $out/lib/$name
    done
  '';
in
rec {
  inherit lib runCommand;
  stdenv = { cc.cc.lib = libraries "gcc-lib" [ "libgcc_s.so.1" "libstdc++.so.6" ]; };

  mkShell = { name, packages ? [ ], shellHook ? "", ... }@attributes: derivation (attributes // {
    inherit name system shellHook;
    outputs = [ "out" ]; # stated, for `nix develop` reads it from the environment
    nativeBuildInputs = packages;
    builder = "/bin/bash";
    args = [ "-c" "echo a shell, not a package >&2; exit 1" ];
    stdenv = runCommand "stdenv" { inherit setup; } "mkdir -p $out && printf '%s' \"$setup\" >$out/setup";
  });
  writeShellScriptBin = name: script: runCommand name { inherit script; } ''
    mkdir -p $out/bin
    { echo '#!/bin/bash'; printf '%s' "$script"; } >$out/bin/${name}
    chmod +x $out/bin/${name}
  '';
  fetchurl = { url, ... }: throw "hostpkgs fetches nothing from ${url}";

  bash = links "bash" [ "bash" ];
  bashInteractive = bash;
  coreutils = program "coreutils" [ "cat" "cp" "install" "ln" "mkdir" "sha256sum" ];
  findutils = program "findutils" [ "find" "xargs" ];
  gawk = program "gawk" [ "awk" ];
  git = program "git" [ "git" ];
  gnugrep = program "gnugrep" [ "grep" ];
  gnumake = program "gnumake" [ "make" ];
  gnused = program "gnused" [ "sed" ];
  unzip = runCommand "unzip" { } ''
    mkdir -p $out/bin
    # `unzip -p archive member`, by Python.
    cat >$out/bin/unzip <<'END'
    #!/bin/bash
    exec ${python311}/bin/python3.11 -c 'import shutil, sys, zipfile; shutil.copyfileobj(zipfile.ZipFile(sys.argv[2]).open(sys.argv[3]), sys.stdout.buffer)' "$@"
    END
    chmod +x $out/bin/unzip
  '';
  gnupatch = program "gnupatch" [ "patch" ];
  patchelf = program "patchelf" [ "patchelf" ];
  brotli = program "brotli" [ "brotli" ];
  nodejs_22 = program "nodejs" [ "node" "npm" ];
  # What the host's Go has compiled it may use again, by content; without the sources it compiles nothing.
  go = runCommand "go" { } ''
    mkdir -p $out/bin
    printf '#!/bin/bash\nexport GOCACHE=/root/.cache/go-build\nexec %s "$@"\n' "$(command -v go)" >$out/bin/go
    chmod +x $out/bin/go
  '';
  iproute2 = program "iproute2" [ "ip" "ss" "tc" ];
  ethtool = program "ethtool" [ "ethtool" ];
  iperf3 = program "iperf3" [ "iperf3" ];
  tcpdump = program "tcpdump" [ "tcpdump" ];
  tshark = program "tshark" [ "tshark" ];
  iputils = program "iputils" [ "ping" ];
  util-linux = program "util-linux" [ "setpriv" "unshare" "nsenter" ];
  apacheHttpd = runCommand "apache-httpd" { } ''
    mkdir -p $out/bin
    ln -s $(command -v apache2 || command -v httpd) $out/bin/httpd
  '';
  python311 = programs "python311" { "python3.11" = [ "python3.11" "/root/.pyenv/versions/3.11*/bin/python3.11" "/opt/*/bin/python3.11" ]; };
  python311Packages.pip = runCommand "pip" { } ''
    ${python311}/bin/python3.11 -m venv $TMPDIR/venv && mkdir -p $out/bin
    cp -r $TMPDIR/venv/lib/python3.11/site-packages/pip $out/pip
    printf '#!/bin/bash\nPYTHONPATH=%s exec %s -m pip "$@"\n' $out ${python311}/bin/python3.11 >$out/bin/pip
    chmod +x $out/bin/pip
  '';

  nss = libraries "nss" [ "libnss3.so" "libnssutil3.so" ];
  nspr = libraries "nspr" [ "libnspr4.so" ];
  expat = libraries "expat" [ "libexpat.so.1" ];
  zlib = libraries "zlib" [ "libz.so.1" ];
  glibc = runCommand "glibc" { } "mkdir -p $out/lib && ln -s /lib64/ld-linux-x86-64.so.2 $out/lib/";
  cacert = runCommand "cacert" { } ''
    mkdir -p $out/etc/ssl/certs
    ln -s /etc/ssl/certs/ca-certificates.crt $out/etc/ssl/certs/ca-bundle.crt
  '';

  # In place of that of 17.09, the Chromium 64 that the portable provider has installed.
  chromium = programs "chromium" { chromium = [ "/root/.cache/longlook/parts/chromium-64-*/bin/chromium" ]; };

  # Only evaluated: what they stand for cannot be had here.
  dpkg = absent "dpkg";
  bubblewrap = absent "bubblewrap";
  absent = name: runCommand "${name}-is-absent" { } "echo 'hostpkgs has no ${name}: use nixpkgs' >&2; exit 1";
  vmTools = {
    debDistros.ubuntu1804x86_64 = { name = "ubuntu-18.04-bionic-amd64"; packagesLists = [ ]; urlPrefix = "none"; packages = [ ]; };
    debClosureGenerator = { name, packagesLists, urlPrefix, packages }:
      runCommand "${name}.nix" { wanted = packages; } ''echo '{ fetchurl }: [ [ ] ]' >$out'';
  };
}
