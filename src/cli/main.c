/* The program: find the command, parse its options, run it, see that its output arrived. Compiled for any processor, unlike
 * the other files, so that it can say that they do not run on this one. */
#include "cli/options.h"
#include "cli/target.h"
#include "io/record.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const ph_command commands[] = {
#define PH_COMMAND(code, group, name, run, min, max, usage, text) {group, name, run, min, max, usage, text},
#include "cli/commands.def"
#undef PH_COMMAND
};

const ph_command *ph_command_get(ph_command_code code)
{
    return &commands[code];
}

const char *ph_command_name(int k)
{
    return k >= 0 && k < PH_COMMAND_COUNT ? commands[k].name : NULL;
}

int ph_complain_command(const char *name)
{
    if (!strcmp(name, "verify"))
        return ph_complain("polhode verify has moved to polhode-verify, which is built beside polhode and is "
                           "not installed");
    return ph_complain_word("there is no command", name, ph_command_name, NULL);
}

/* A closed descriptor 1 would be given to the next file, and the summary would end there. Writing to one that
 * is open for reading fails, as it should. */
static void occupy_descriptors(void)
{
    int fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= 2)
        fd = open("/dev/null", O_RDONLY);
    if (fd >= 0)
        close(fd);
}

/* A reader that had enough (head, less) is no reason for a message. The write that failed may be long ago, so
 * errno does not tell; poll reports a pipe without a reader as POLLERR. */
static int finish(int code)
{
    struct pollfd out = {.fd = 1, .events = POLLOUT};
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    int why = errno;
    if (poll(&out, 1, 0) != 1 || !(out.revents & POLLERR))
        ph_complain("cannot write to standard output%s%s", why ? ": " : "", why ? strerror(why) : "");
    return code ? code : PH_EXIT_USAGE;
}

static int is_any(const char *word, const char *a, const char *b)
{
    return !strcmp(word, a) || !strcmp(word, b);
}

static int run_command(int argc, char **argv)
{
    const char *name = argv[1];
    if (is_any(name, "--help", "-h"))
        name = "help";
    else if (is_any(name, "--version", "-V"))
        name = "version";
    int k = ph_word_find(name, ph_command_name);
    if (k < 0)
        return ph_complain_command(name);
    ph_args args = ph_args_default((ph_command_code)k);
    for (int i = 2; i < argc; i++)
        if (is_any(argv[i], "--help", "-h")) {
            args = ph_args_default(PH_CMD_HELP);
            args.word[args.n_words++] = commands[k].name;
            return ph_cmd_help(&args);
        }
    if (!ph_args_parse(&args, argc - 2, argv + 2) || !ph_paths_apart(&args))
        return PH_EXIT_USAGE;
    if (args.n_words && strstr(commands[k].usage, "MODEL") && !ph_target_known(args.word[0]))
        return PH_EXIT_USAGE;
    return commands[k].run(&args);
}

static int wants_json(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (!strcmp(argv[i], "--json"))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    if (ph_processor_lacks()) {
        fprintf(stderr,
                "polhode: this processor lacks '%s', which polhode was built for: build it here, or with "
                "-DPH_PORTABLE=ON\n",
                ph_processor_lacks());
        return PH_EXIT_USAGE;
    }
    occupy_descriptors();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is an error of write, which is reported */
    if (argc < 2) {
        ph_args args = ph_args_default(PH_CMD_HELP);
        ph_cmd_help(&args);
        return finish(PH_EXIT_USAGE);
    }
    int code = run_command(argc, argv);
    if (code == PH_EXIT_USAGE && wants_json(argc, argv))
        ph_answer_refusal();
    return finish(code);
}
