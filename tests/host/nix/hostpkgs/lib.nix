# The functions of nixpkgs' lib that flake.nix and envs/ use.
let
  inherit (builtins) attrNames concatMap concatStringsSep filter genList isList listToAttrs map replaceStrings stringLength substring;
  letters = word: genList (index: substring index 1 word) (stringLength word);
  lower = letters "abcdefghijklmnopqrstuvwxyz";
  upper = letters "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
in
rec {
  toUpper = replaceStrings lower upper;
  genAttrs = names: f: listToAttrs (map (name: { inherit name; value = f name; }) names);
  filterAttrs = keep: set: listToAttrs (map (name: { inherit name; value = set.${name}; }) (filter (name: keep name set.${name}) (attrNames set)));
  flatten = value: if isList value then concatMap flatten value else [ value ];
  escapeShellArg = value: "'${replaceStrings [ "'" ] [ "'\\''" ] (toString value)}'";
  makeBinPath = packages: concatStringsSep ":" (map (package: "${package}/bin") packages);
  makeLibraryPath = packages: concatStringsSep ":" (map (package: "${package}/lib") packages);
}
