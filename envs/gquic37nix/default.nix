# gquic37 with the browser of nixpkgs 17.09; what it is made of is in stack.toml.
{ common, pkgs2017 }:
common.stack { folder = ./.; given.chromium-2017 = "${pkgs2017.chromium}/bin/chromium"; }
