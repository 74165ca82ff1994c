# A stack from what is stated of it and of its bases, and its parts: a folder with one folder for each part (part.nix).
{ pkgs, part }:
# `given`: further programs of components that a part takes from the system, by the names that it looks for.
{ name, given ? { } }:
let
  # As in src/longlook/stack/layers.py: a table of variants.toml or a stack.toml; entry by entry the nearest layer's.
  variants = builtins.fromTOML (builtins.readFile ../variants.toml);
  stated = name:
    (variants.${name} or (builtins.fromTOML (builtins.readFile (../. + "/${name}/stack.toml")))) // { inherit name; };
  over = below: above: below // builtins.mapAttrs
    (key: value: if builtins.isAttrs value && below ? ${key} then below.${key} // value else value)
    above;
  layered = name: let own = stated name; in if own ? base then over (layered own.base) own else own;
  spec = layered name;

  # Under both names that distributions have for it, so that the system's is not found first.
  apache = { apache2 = "${pkgs.apacheHttpd}/bin/httpd"; httpd = "${pkgs.apacheHttpd}/bin/httpd"; };
  parts = builtins.mapAttrs (_: name: part { inherit name; given = apache // given; }) spec.parts;
  each = f: builtins.concatStringsSep "\n" (map f (builtins.attrValues parts));
in
{
  inherit parts name;
  # The packaged programs of all parts.
  built = builtins.foldl' (found: one: found // one.built) { } (builtins.attrValues parts);
  folder = pkgs.runCommand "stack-${name}" { } ''
    mkdir -p $out
    ${each (one: "ln -s ${one.folder} $out/${one.name}")}
  '';
}
