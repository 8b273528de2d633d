# Our comments as those of doxygen, line by line, so that line numbers stay. One that begins a line documents the declaration that
# follows, the first of a file the file; one behind code documents what it stands behind; /* ---- title ---- */ begins a group.
# Lines of a comment that are set in by three blanks are code or a table.

function base(path) { sub(/.*\//, "", path); return path }

/^\/\* ---- / {
    sub(/^\/\* -+ /, ""); sub(/ -+ \*\/$/, "")
    print (group ? "/** @} */ " : "") "/** @name " $0 " */ /** @{ */"
    group = 1
    next
}
/^ \*   / {
    sub(/^ \*/, set_in ? "" : " * @verbatim")
    set_in = NR
}
set_in && set_in < NR { sub(/^ \*/, " @endverbatim"); set_in = 0 }
set_in && /\*\// { sub(/ *\*\//, " @endverbatim */"); set_in = 0 }
/^ *\/\* / && !seen { seen = 1; sub(/\/\* /, "/** @file " base(FILENAME) " "); print; next }
/^ *\/\* / { sub(/\/\* /, "/** "); print; next }
/[;,{}] *\/\* / || /^[^\/]*[A-Za-z0-9_)] *\/\* / { sub(/\/\* /, "/**< ") }
{ print }
END { if (group) print "/** @} */" }
