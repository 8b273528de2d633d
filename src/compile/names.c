/* Names of C and texts of comments from titles of models. */
#include <ctype.h>
#include <string.h>

#include "compile/compile.h"

static const char *const reserved[] = {
    "auto",   "break",     "case",     "char",     "const", "continue", "default", "do",        "double",
    "else",   "enum",      "extern",   "float",    "for",   "goto",     "if",      "inline",    "int",
    "long",   "register",  "restrict", "return",   "short", "signed",   "sizeof",  "static",    "struct",
    "switch", "typedef",   "union",    "unsigned", "void",  "volatile", "while",   "main",      "class",
    "new",    "delete",    "this",     "template", "bool",  "true",     "false",   "namespace", "private",
    "public", "protected", "virtual",  "operator", "try",   "catch",    "throw"};

/* In every locale. */
static int is_of_name(char c)
{
    return strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", c) != NULL;
}

void ph_compile_name(const char *title, char *name, size_t size)
{
    size_t n = 0;
    for (; title[n] && n + 1 < size; n++)
        name[n] = is_of_name(title[n]) ? title[n] : '_';
    name[n] = 0;
}

/* "*" and "/" side by side would end the comment, or begin another. */
const char *ph_c_comment(const char *text, char out[PH_C_COMMENT])
{
    size_t n = 0;
    for (; text[n] && n + 1 < PH_C_COMMENT; n++) {
        char last = n ? out[n - 1] : 0;
        int ends = (last == '*' && text[n] == '/') || (last == '/' && text[n] == '*');
        out[n] = ends ? '_' : text[n];
    }
    out[n] = 0;
    return out;
}

ph_status ph_compile_check_name(const char *name, ph_error *err)
{
    if (!*name)
        return ph_fail(err, PH_E_INPUT, "the compiled model needs a name: --name NAME");
    if (isdigit((unsigned char)*name))
        return ph_fail(err, PH_E_INPUT,
                       "'%s' is not a name in C, it begins with a digit: --name NAME gives another", name);
    for (const char *p = name; *p; p++)
        if (!is_of_name(*p))
            return ph_fail(err, PH_E_INPUT, "'%s' is not a name in C: use letters, digits and _", name);
    for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++)
        if (!strcmp(name, reserved[k]))
            return ph_fail(err, PH_E_INPUT, "'%s' is a word of C: --name NAME gives another", name);
    if (!strncmp(name, "ph_", 3) || !strncmp(name, "PH_", 3))
        return ph_fail(err, PH_E_INPUT, "'%s' begins as names of the library do: --name NAME gives another",
                       name);
    return PH_OK;
}
