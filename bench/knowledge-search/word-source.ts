const SYLLABLES = ['ba', 'ke', 'li', 'mo', 'nu', 'ra', 'se', 'ti', 'vo', 'zu'];
const VOCABULARY_SIZE = 20_000;

/** Made-up words with the frequencies of a language (Zipf): the n-th most frequent word is 1/n as frequent as the first. The seed is fixed. */
export function wordSource(): () => string {
  let seed = 7;
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    let rank = Math.floor(VOCABULARY_SIZE ** (seed / 2 ** 31));
    let word = '';
    for (; rank > 0; rank = Math.floor(rank / 10)) word += SYLLABLES[rank % 10];
    return word;
  };
}
