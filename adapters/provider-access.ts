/** Stands where a local server asks for no key. */
const NO_KEY = 'none';

/** A key that no HTTP header can carry would throw in the middle of a call. Throws, naming the variable alone. */
export function keyOf(variable: string, value: string | undefined): string {
  const key = value?.trim() || NO_KEY;
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error(`${variable}: expected printable ASCII without spaces`);
  return key;
}

/** Without a slash at its end; undefined where none is set. Throws, naming the variable alone. */
export function baseUrlOf(variable: string, value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const wellFormed = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!wellFormed || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new Error(`${variable}: expected an http or https URL without query, fragment or credentials`);
  }
  return url.href.replace(/\/+$/, '');
}
