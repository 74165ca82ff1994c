module longlook/tools/linkpipe

go 1.19

require golang.org/x/sys v0.25.0
