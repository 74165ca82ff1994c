# The Python environment of requirements.txt, with python, longlook, pytest and the rest in bin/.
# longlook itself is not in it: every program looks for it in the checkout that LONGLOOK_ROOT names.
{ pkgs, fetch }:
let
  wheels = fetch.wheels "longlook" ../../requirements.txt;
  # Libraries that wheels expect of every distribution.
  libraries = pkgs.lib.makeLibraryPath [ pkgs.stdenv.cc.cc.lib pkgs.zlib ];

  environment = pkgs.runCommand "longlook-python-packages" { nativeBuildInputs = [ pkgs.python311 pkgs.python311Packages.pip ]; } ''
    export HOME=$TMPDIR
    python3.11 -m venv --without-pip $out
    pip --python $out/bin/python install --quiet --disable-pip-version-check --no-compile --no-index --no-deps \
      --require-hashes --find-links ${wheels} -r ${../../requirements.txt}
    # By hash: every file in the store has the same time, which would make the usual compiled files look stale.
    # geni-lib is left out: some of its files are Python 2's.
    $out/bin/python -m compileall -q -x '/site-packages/geni/' --invalidation-mode unchecked-hash $out/lib
  '';
in
pkgs.runCommand "longlook-python" { } ''
  mkdir -p $out/bin
  for program in ${environment}/bin/*; do
    name=''${program##*/}
    case $name in activate* | Activate*) continue ;; esac
    {
      echo '#!${pkgs.bash}/bin/bash'
      echo 'export LD_LIBRARY_PATH=${libraries}''${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PYTHONDONTWRITEBYTECODE=1'
      echo '[ -z "$LONGLOOK_ROOT" ] || export PYTHONPATH=$LONGLOOK_ROOT/src''${PYTHONPATH:+:$PYTHONPATH}'
      echo "exec $program \"\$@\""
    } >$out/bin/$name
  done
  {
    echo '#!${pkgs.bash}/bin/bash'
    echo ': "''${LONGLOOK_ROOT:?names no checkout}"'
    echo "exec $out/bin/python -m longlook.cli \"\$@\""
  } >$out/bin/longlook
  chmod +x $out/bin/*
''
