# Fixed-output derivations. Each asks a registry through that registry's own client, which knows where it is, for
# what a lock file names, and must give the bytes that the lock file, or hashes.json where locks say nothing of
# bytes, pins. After a change of a lock, `nix build` of what needs it prints the hash to write there.
{ pkgs, hashes }:
let
  # What the clients may learn of the machine that runs them: how to reach the network.
  impureEnvVars = [
    "http_proxy" "https_proxy" "all_proxy" "no_proxy"
    "NIX_SSL_CERT_FILE" "npm_config_registry" "PIP_INDEX_URL" "GOPROXY"
  ];
  certificates = ''
    export HOME=$TMPDIR
    bundle=''${NIX_SSL_CERT_FILE:-${pkgs.cacert}/etc/ssl/certs/ca-bundle.crt}
    export SSL_CERT_FILE=$bundle NODE_EXTRA_CA_CERTS=$bundle PIP_CERT=$bundle
  '';
  # Characters that a store path may have.
  safe = builtins.replaceStrings [ "@" "/" ] [ "" "-" ];
  fixed = { name, mode, hash, inputs }: script: pkgs.runCommand (safe name)
    {
      outputHashMode = mode;
      outputHash = hash;
      nativeBuildInputs = inputs;
      inherit impureEnvVars;
    }
    (certificates + script);

  # "node_modules/a/node_modules/@b/c" -> "@b/c"
  packageOf = path: builtins.elemAt (builtins.match "(.*/)?node_modules/(.+)" path) 1;

  npmTarball = path: { version, integrity, ... }:
    let package = packageOf path; in
    fixed { name = "npm-${package}-${version}.tgz"; mode = "flat"; hash = integrity; inputs = [ pkgs.nodejs_22 ]; } ''
      mkdir work && cd work
      npm pack --silent --ignore-scripts ${package}@${version} >/dev/null
      mv *.tgz $out
    '';

  platforms = [ "manylinux_2_35" "manylinux_2_34" "manylinux_2_31" "manylinux_2_28" "manylinux_2_27" "manylinux_2_26" "manylinux_2_24" "manylinux_2_17" "manylinux2014" "manylinux_2_12" "manylinux2010" "manylinux_2_5" "manylinux1" "linux" ];
in
{
  # Every tarball of a package-lock.json, by its place: { "node_modules/x" = <derivation>; }
  # What is bundled comes in the tarball of another one.
  npm = lock:
    let
      packages = (builtins.fromJSON (builtins.readFile lock)).packages;
      bundled = builtins.filter (place: packages.${place}.inBundle or false) (builtins.attrNames packages);
    in
    builtins.mapAttrs npmTarball (removeAttrs packages ([ "" ] ++ bundled));

  # A folder with the wheels of a hash-locked requirements file.
  wheels = name: lock:
    fixed { name = "wheels-${name}"; mode = "recursive"; hash = hashes.wheels.${name}; inputs = [ pkgs.python311Packages.pip ]; } ''
      # Python and platforms are named, so that every machine gets the same wheels.
      pip download --quiet --disable-pip-version-check --no-cache-dir --require-hashes --no-deps --only-binary=:all: \
        --implementation cp --python-version 3.11 \
        ${builtins.concatStringsSep " " (map (tag: "--platform ${tag}_x86_64") platforms)} --dest $out -r ${lock}
    '';

  # A folder in the form of a Go module proxy, with all modules that a tool's go.mod names.
  goModules = name: source:
    fixed { name = "go-modules-${name}"; mode = "recursive"; hash = hashes.go.${name}; inputs = [ pkgs.go ]; } ''
      # Not in the temporary folder itself: Go ignores a go.mod there.
      mkdir work && cd work && cp ${source}/go.mod ${source}/go.sum . && chmod u+w go.mod go.sum
      export GOMODCACHE=$TMPDIR/modules GOCACHE=$TMPDIR/cache GOFLAGS=-modcacherw GOTOOLCHAIN=local
      go mod download
      cd $GOMODCACHE/cache/download
      # A proxy may add the time and origin of a version: only the version itself is kept.
      find . -name '*.info' -o -name '*.mod' -o -name '*.zip' | while read -r file; do
        mkdir -p $out/$(dirname "$file")
        case $file in
          *.info) version=$(grep -o '"Version":"[^"]*"' "$file") && printf '{%s}' "$version" >"$out/$file" ;;
          *) cp "$file" "$out/$file" ;;
        esac
      done
    '';
}
