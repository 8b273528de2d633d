/* Pictures of the page, and the papers figure by figure: the tables pictures.def and papers.def. */
#include "claim/claim.h"

static const ph_picture pictures[] = {
#define PH_PICTURE(name, kind, command, caption) {name, command, caption, kind},
#include "claim/pictures.def"
#undef PH_PICTURE
};

static const ph_paper papers[] = {
#define PH_PAPER(title, text)                       {title, NULL, NULL, NULL, NULL, text},
#define PH_PLACE(place, printed, rows, see, remark) {NULL, place, printed, rows, see, remark},
#include "claim/papers.def"
#undef PH_PAPER
#undef PH_PLACE
};

const ph_picture *ph_picture_get(int k)
{
    return k >= 0 && k < (int)(sizeof pictures / sizeof *pictures) ? &pictures[k] : NULL;
}

const ph_paper *ph_paper_get(int k)
{
    return k >= 0 && k < (int)(sizeof papers / sizeof *papers) ? &papers[k] : NULL;
}
