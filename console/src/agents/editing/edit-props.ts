/** The properties of a form that edits a part of an agent's document. */
export interface EditProps {
  readonly document: unknown;
  readonly onEdit: (document: unknown) => void;
}
