/** A number as a 16-bit sample: what lies outside of its range becomes the range's end. */
export function saturate(value: number): number {
  return value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value;
}
