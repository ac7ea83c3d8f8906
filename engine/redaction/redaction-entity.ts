/** The kinds of personal data that redaction finds. The names are those of the API. */
export const REDACTION_ENTITIES = ['card', 'iban', 'email', 'phone', 'ssn', 'national_id'] as const;
export type RedactionEntity = (typeof REDACTION_ENTITIES)[number];

/** A stretch of a text: indices of UTF-16 units, `to` is exclusive. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** A stretch of a text that holds an entity. */
export interface EntitySpan extends TextRange {
  readonly entity: RedactionEntity;
}

/** An entity, or one of the parts of a number, that was found in a text. */
export interface FoundEntity extends EntitySpan {
  /** The digits and letters of the whole entity. */
  readonly characters: string;
}
