/** The language of a BCP 47 tag without script and region, in lower case. */
export function primaryLanguage(tag: string): string {
  return tag.replace(/-.*/s, '').toLowerCase();
}
