/* The options of all commands: parsing, help, and the words of their values. */
#ifndef PH_CLI_OPTIONS_H
#define PH_CLI_OPTIONS_H

#include "cli/cli.h"

#include <stdint.h>
#include <stdio.h>

ph_args ph_args_default(ph_command_code command);

/* Arguments after the name of the command. 0 and one line on stderr: they make no sense. */
int ph_args_parse(ph_args *args, int argc, char **argv);

/* One option with a value, as if it stood at the end of the line. 0 after one line on stderr. */
int ph_args_set(ph_args *args, const char *name, const char *value);
void ph_args_keep_size(ph_args *args); /* set halvings = 0, unless the line sets it */

/* One more text, in place of one with the same key. */
void ph_told_add_option(ph_told_options *told, const char *text);

/* paths.c: 0 after one line on stderr if a file would be written over another one of the command line. */
int ph_paths_apart(const ph_args *args);

/* Row k as the help of a command shows it. 0: it is not an option of that command. */
typedef struct ph_option_help {
    const char *name, *text;
    char value[96];   /* "H", "index3|index2|ggl" */
    char initial[96]; /* "; default: ggl", or nothing */
    ph_word_fn words; /* all that it can be; NULL: they are not known */
    int takes_value;
} ph_option_help;

int ph_option_describe(int k, ph_command_code command, ph_option_help *out);

typedef struct ph_example {
    ph_command_code command;
    const char *arguments, *text;
} ph_example;

extern const ph_example ph_examples[]; /* of all commands, examples.def; the last has no arguments */

/* help_man.c, help_complete.c: a page of the manual, of one command or of all (PH_COMMAND_COUNT); a script that completes
 * command lines. */
void ph_help_man(ph_command_code command, FILE *to);
const char *ph_shell_word(int k);
void ph_help_complete(int shell, FILE *to);

int ph_options_any(ph_command_code command);
const char *ph_option_name(int k); /* row k of the table; NULL past the end */
const char *ph_option_text(int k);
unsigned ph_option_commands(int k); /* bits, by ph_command_code */

/* Names of commands, with between and around them what is said. */
void ph_option_owners(unsigned commands, const char *between, const char *around, char *text, size_t size);

/* What sweep may vary: "--t-end" of "t_end", if it is a number that makes a run what it is, and whether a whole
 * one; NULL: it is not. All of them with commas between; whether an option was typed. */
const char *ph_option_numeric(const char *name, int *whole);
void ph_option_numerics(char *text, size_t size);
int ph_option_given(const ph_args *args, const char *name);

/* Fingerprint of all that makes a run what it is, but for the model. */
uint64_t ph_options_hash(const ph_args *args, uint64_t hash);
uint64_t ph_inputs_hash(const ph_settings *input,
                        uint64_t hash); /* of --input alone; what files have, not their names */

#endif
