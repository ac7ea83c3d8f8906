/** A number with this many decimal places in the form of the language: `1.24`, in German `1,24`. */
export function decimal(value: number, places: number, language: string): string {
  return new Intl.NumberFormat(language, { minimumFractionDigits: places, maximumFractionDigits: places }).format(
    value,
  );
}
