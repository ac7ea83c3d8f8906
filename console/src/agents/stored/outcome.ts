/** How the last version was stored from the page. */
export interface Outcome {
  readonly kind: 'created' | 'published' | 'draft';
  readonly version: number;
}
