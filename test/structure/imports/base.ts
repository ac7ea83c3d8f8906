/** Part of `IMPORTS`. */
export const BASE_IMPORTS: Record<string, readonly string[]> = {
  'base/audio': [],
  'base/limits': [],
  'base/network': [],
  'base/text': [],
  'base/time': [],
};
