/* Names of C and texts of comments from titles of models. */
#include <ctype.h>
#include <string.h>

#include "compile/compile.h"

/* Lists are words between spaces. Keywords of C and C++: */
static const char keywords[] =
    " "
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t "
    "char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue decltype default delete do double dynamic_cast else enum explicit export extern "
    "false float for friend goto if inline int long main mutable namespace new noexcept not not_eq "
    "nullptr operator or or_eq private protected public register reinterpret_cast requires restrict "
    "return short signed sizeof static static_assert static_cast struct switch template this thread_local "
    "throw true try typedef typeid typename typeof typeof_unqual union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq ";
/* Macros without arguments of the headers that compiled models and their users include. */
static const char macros[] =
    " "
    "BIG_ENDIAN BUFSIZ BYTE_ORDER DBL_DECIMAL_DIG DBL_DIG DBL_EPSILON DBL_HAS_SUBNORM DBL_MANT_DIG "
    "DBL_MAX DBL_MAX_10_EXP DBL_MAX_EXP DBL_MIN DBL_MIN_10_EXP DBL_MIN_EXP DBL_TRUE_MIN DECIMAL_DIG EOF "
    "EXIT_FAILURE EXIT_SUCCESS FILENAME_MAX FLT_DECIMAL_DIG FLT_DIG FLT_EPSILON FLT_EVAL_METHOD "
    "FLT_HAS_SUBNORM FLT_MANT_DIG FLT_MAX FLT_MAX_10_EXP FLT_MAX_EXP FLT_MIN FLT_MIN_10_EXP FLT_MIN_EXP "
    "FLT_RADIX FLT_ROUNDS FLT_TRUE_MIN FOPEN_MAX FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_NAN FP_NORMAL "
    "FP_SUBNORMAL FP_ZERO HUGE_VAL HUGE_VALF HUGE_VALL INFINITY INT16_MAX INT16_MIN INT32_MAX INT32_MIN "
    "INT64_MAX INT64_MIN INT8_MAX INT8_MIN INTMAX_MAX INTMAX_MIN INTPTR_MAX INTPTR_MIN INT_FAST16_MAX "
    "INT_FAST16_MIN INT_FAST32_MAX INT_FAST32_MIN INT_FAST64_MAX INT_FAST64_MIN INT_FAST8_MAX "
    "INT_FAST8_MIN INT_LEAST16_MAX INT_LEAST16_MIN INT_LEAST32_MAX INT_LEAST32_MIN INT_LEAST64_MAX "
    "INT_LEAST64_MIN INT_LEAST8_MAX INT_LEAST8_MIN LDBL_DECIMAL_DIG LDBL_DIG LDBL_EPSILON "
    "LDBL_HAS_SUBNORM LDBL_MANT_DIG LDBL_MAX LDBL_MAX_10_EXP LDBL_MAX_EXP LDBL_MIN LDBL_MIN_10_EXP "
    "LDBL_MIN_EXP LDBL_TRUE_MIN LITTLE_ENDIAN L_ctermid L_tmpnam MATH_ERREXCEPT MATH_ERRNO MB_CUR_MAX "
    "M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 NAN "
    "NFDBITS NULL PDP_ENDIAN PTRDIFF_MAX PTRDIFF_MIN P_tmpdir RAND_MAX SEEK_CUR SEEK_END SEEK_SET "
    "SIG_ATOMIC_MAX SIG_ATOMIC_MIN SIZE_MAX TMP_MAX UINT16_MAX UINT32_MAX UINT64_MAX UINT8_MAX "
    "UINTMAX_MAX UINTPTR_MAX UINT_FAST16_MAX UINT_FAST32_MAX UINT_FAST64_MAX UINT_FAST8_MAX "
    "UINT_LEAST16_MAX UINT_LEAST32_MAX UINT_LEAST64_MAX UINT_LEAST8_MAX WCHAR_MAX WCHAR_MIN WCONTINUED "
    "WEXITED WINT_MAX WINT_MIN WNOHANG WNOWAIT WSTOPPED WUNTRACED assert errno linux math_errhandling "
    "stderr stdin stdout unix va_arg va_copy va_end va_start ";
/* Functions, types and headers of the C library, which the struct of a model and its header would hide. */
static const char library[] =
    " "
    "FILE a64l abort abs access acos acosh aligned_alloc alloca arc4random arc4random_buf "
    "arc4random_uniform asin asinh asprintf at_quick_exit atan atan2 atanh atexit atof atoi atol basename "
    "bcmp bcopy blkcnt_t blksize_t bsearch bzero caddr caddr_t calloc canonicalize cbrt ceil clearenv "
    "clearerr clock clock_t clockid_t close complex copysign cos cosh ctermid ctype daddr_t dev_t div "
    "div_t double_t dprintf drand48 drem ecvt environ erand48 erf erfc exit exp exp10 exp2 explicit_bzero "
    "expm1 fabs fclose fcvt fd_mask fdim fdopen fenv feof ferror fflush ffs fgetc fgetpos fgets fgetws "
    "fileno finite float_t flockfile floor fma fmax fmaximum fmemopen fmin fminimum fmod fopen fpclassify "
    "fpos_t fprintf fputc fputs fread free freopen frexp fromfp fsblkcnt_t fscanf fseek fseeko fsetpos "
    "fsfilcnt_t fsid_t ftell ftello ftrylockfile funlockfile fwrite gamma gcvt getc getchar getdelim "
    "getenv getline getloadavg getpayload getsubopt getw gid_t hypot id_t ilogb index initstate ino_t "
    "int16_t int32_t int64_t int8_t int_fast16_t int_fast32_t int_fast64_t int_fast8_t int_least16_t "
    "int_least32_t int_least64_t int_least8_t intmax_t intptr_t isfinite isgreater isinf isless isnan "
    "isnormal isunordered j0 j1 jn jrand48 key_t l64a labs lcong48 ldexp ldiv ldiv_t lgamma limits link "
    "llabs lldiv lldiv_t llogb llrint llround locale locale_t loff_t log log10 log1p log2 logb lrand48 "
    "lrint lround malloc math max_align_t mblen mbstowcs mbtowc memccpy memchr memcmp memcpy memfrob "
    "memmem memmove mempcpy memrchr memset mkdtemp mkstemp mkstemps mktemp mode_t modf mrand48 nan "
    "nearbyint nextafter nextdown nexttoward nextup nlink_t nrand48 off_t offsetof on_exit open "
    "open_memstream pclose perror pid_t popen posix_memalign pow pow10 printf pselect pthread_attr_t "
    "pthread_key_t pthread_once_t pthread_spinlock_t pthread_t ptrdiff_t putc putchar putenv puts putw "
    "qecvt qfcvt qgcvt qsort quad_t quick_exit rand random rawmemchr read realloc reallocarray realpath "
    "register_t remainder remove remquo rename renameat rewind rindex rint round roundeven rpmatch scalb "
    "scalbln scalbn scanf seed48 select setbuf setbuffer setenv setjmp setlinebuf setpayload setstate "
    "setvbuf signal signbit signgam significand sigset_t sin sincos sinh size_t sleep snprintf sprintf "
    "sqrt srand srand48 srandom sscanf ssize_t stdalign stdarg stdatomic stdbool stddef stdint stdio "
    "stdlib stpcpy stpncpy strcasecmp strcasecmp_l strcasestr strcat strchr strchrnul strcmp strcoll "
    "strcoll_l strcpy strcspn strdup strerror strerror_l strfry string strlen strncasecmp strncasecmp_l "
    "strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn strstr strtod strtof "
    "strtok strtol strtold strtoq strtoul strtouq strverscmp strxfrm strxfrm_l suseconds_t system tan "
    "tanh tempnam tgamma tgmath threads time time_t timer_t tmpfile tmpnam totalorder trunc u_char u_int "
    "u_int16_t u_int32_t u_int64_t u_int8_t u_long u_quad_t u_short uchar ufromfp uid_t uint uint16_t "
    "uint32_t uint64_t uint8_t uint_fast16_t uint_fast32_t uint_fast64_t uint_fast8_t uint_least16_t "
    "uint_least32_t uint_least64_t uint_least8_t uintmax_t uintptr_t ulong ungetc unsetenv ushort valloc "
    "vasprintf vdprintf vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf wait wchar wcstombs "
    "wctomb wctype write y0 y1 yn ";
/* Endings with which the library has a name again, as in sinf and strtok_r. */
static const char *const library_ends[] = {"",     "f",    "l",    "f32", "f64",
                                           "f128", "f32x", "f64x", "_r",  "_unlocked"};

/* Return 1 if the list has the first `length` characters of the name as a word. */
static int has(const char *list, const char *name, size_t length)
{
    for (const char *at = list; length > 0 && (at = strstr(at, " ")) && *++at;)
        if (!strncmp(at, name, length) && at[length] == ' ')
            return 1;
    return 0;
}

/* Return 1 if no declaration can use the name. */
static int is_word(const char *name)
{
    return has(keywords, name, strlen(name)) || has(macros, name, strlen(name));
}

/* Return 1 if a header may declare the name. */
static int is_of_library(const char *name)
{
    size_t length = strlen(name);
    if (name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1])))
        return 1;
    for (size_t k = 0; k < sizeof library_ends / sizeof *library_ends; k++) {
        size_t end = strlen(library_ends[k]);
        if (length > end && !strcmp(name + length - end, library_ends[k]) && has(library, name, length - end))
            return 1;
    }
    return 0;
}

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

void ph_compile_model_name(const char *title, char *name, size_t size)
{
    static const char end[] = "_model";
    ph_compile_name(title, name, size - sizeof end);
    if (is_word(name) || is_of_library(name))
        strcat(name, end);
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
    if (is_word(name))
        return ph_fail(err, PH_E_INPUT, "'%s' is a word of C: --name NAME gives another", name);
    if (!strncmp(name, "ph_", 3) || !strncmp(name, "PH_", 3))
        return ph_fail(err, PH_E_INPUT, "'%s' begins as names of the library do: --name NAME gives another",
                       name);
    return PH_OK;
}

ph_status ph_compile_check_model_name(const char *name, ph_error *err)
{
    ph_status s = ph_compile_check_name(name, err);
    if (s == PH_OK && is_of_library(name))
        return ph_fail(err, PH_E_INPUT, "'%s' is a name of the C library: --name NAME gives another", name);
    return s;
}
