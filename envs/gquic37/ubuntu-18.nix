# The userland of Ubuntu 18.04 for the binaries of 2017: its C library and the libraries that Chromium is linked
# against, unpacked from the packages that nixpkgs' vmTools pin by their lists. Evaluated in the tests against a
# stand-in; never built on the development machines, and needed by nothing else here (envs/README.md).
{ pkgs, stack }:
let
  distribution = pkgs.vmTools.debDistros.ubuntu1804x86_64;
  closure = pkgs.vmTools.debClosureGenerator {
    inherit (distribution) name packagesLists urlPrefix;
    packages = [ "base-files" "bash" "coreutils" "libc6" "libgcc1" "libnss3" "libnspr4" "libexpat1" ];
  };
  # An expression that is itself built: a list of lists of packages.
  packages = pkgs.lib.flatten (import closure { inherit (pkgs) fetchurl; });
  root = pkgs.runCommand "ubuntu-18.04" { nativeBuildInputs = [ pkgs.dpkg ]; } ''
    mkdir -p $out
    for package in ${toString packages}; do dpkg-deb --extract "$package" $out; done
  '';
  ubuntu-18 = pkgs.writeShellScriptBin "ubuntu-18" ''
    # Ubuntu's files, this machine's devices, store, temporary files and working folder; the network namespace stays.
    exec ${pkgs.bubblewrap}/bin/bwrap --die-with-parent --tmpfs / --proc /proc --dev-bind /dev /dev --ro-bind /nix /nix \
      --ro-bind ${root}/usr /usr --ro-bind ${root}/bin /bin --ro-bind ${root}/lib /lib --ro-bind ${root}/lib64 /lib64 \
      --ro-bind ${root}/etc /etc --bind /tmp /tmp --bind "$PWD" "$PWD" --chdir "$PWD" -- "$@"
  '';
in
{
  inherit ubuntu-18;

  # The stack with its browser started inside that userland: nix build .#stack-gquic37-ubuntu-18; export LONGLOOK_STACK_GQUIC37=$PWD/result
  stack-gquic37-ubuntu-18 = pkgs.runCommand "stack-gquic37-ubuntu-18" { } ''
    mkdir -p $out
    ln -s ${stack.folder}/* $out/
    rm $out/${stack.parts.browser.name}
    browser=$out/${stack.parts.browser.name}
    mkdir -p $browser/run/locales
    ln -s ${stack.parts.browser.folder}/bin $browser/
    {
      echo '#!${pkgs.bash}/bin/bash'
      echo 'exec ${ubuntu-18}/bin/ubuntu-18 ${stack.built.chromium}/bin/chromium "$@"'
    } >$browser/run/chromium
    chmod +x $browser/run/chromium
  '';
}
