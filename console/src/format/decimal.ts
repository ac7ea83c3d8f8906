/** Formats by language and places: to make one takes longer than to use it forty times. The console uses few. */
const FORMATS = new Map<string, Intl.NumberFormat>();

/** A number with this many decimal places in the form of the language: `1.24`, in German `1,24`. */
export function decimal(value: number, places: number, language: string): string {
  const name = `${language} ${places}`;
  const format =
    FORMATS.get(name) ??
    new Intl.NumberFormat(language, { minimumFractionDigits: places, maximumFractionDigits: places });
  FORMATS.set(name, format);
  return format.format(value);
}
