/* Tables of numbers: lines of comment, one header row with names and units, rows. */
#include "io/csv.h"

#include <string.h>

#include "io/number.h"

static void separate(ph_csv *csv)
{
    if (csv->column++)
        fputc(',', csv->to);
}

void ph_csv_comment(ph_csv *csv, const char *text)
{
    fprintf(csv->to, "# %s\n", text);
}

void ph_csv_name(ph_csv *csv, const char *of, const char *name, const char *unit)
{
    separate(csv);
    fprintf(csv->to, "%s%s%s", of ? of : "", of ? "." : "", name);
    if (unit && unit[0])
        fprintf(csv->to, " [%s]", unit);
}

void ph_csv_word(ph_csv *csv, const char *word)
{
    int quoted = strpbrk(word, ",\"\r\n") != NULL;
    separate(csv);
    if (quoted)
        fputc('"', csv->to);
    for (; *word; word++) {
        if (*word == '"')
            fputc('"', csv->to);
        fputc(*word, csv->to);
    }
    if (quoted)
        fputc('"', csv->to);
}

void ph_csv_number(ph_csv *csv, double x)
{
    char text[1 + PH_NUMBER_MAX] = ",";
    int n = 1 + ph_number_write(x, text + 1), first = !csv->column++;
    fwrite(text + first, 1, (size_t)(n - first), csv->to);
}

void ph_csv_end_header(ph_csv *csv)
{
    fputc('\n', csv->to);
    csv->column = 0;
}

void ph_csv_end_row(ph_csv *csv)
{
    ph_csv_end_header(csv);
    csv->rows++;
}
