/** The event at which charts are drawn anew: whoever puts new numbers into a page sends it; with `end` before it takes the old ones out. */
export const DRAW = "proofload-draw";
