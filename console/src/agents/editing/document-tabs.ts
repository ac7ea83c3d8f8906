import { useState } from 'react';
import { flushSync } from 'react-dom';
import { type GeneralField, generalFieldId } from '../document/general-field.ts';

export type DocumentTab = 'fields' | 'json';

/** The view of the document that is open. */
export interface DocumentTabs {
  readonly tab: DocumentTab;
  readonly open: (tab: DocumentTab) => void;
  /** Opens the form, and puts the focus into its field. */
  readonly showField: (field: GeneralField) => void;
}

/** A key that may not change the agent reads it as JSON at first. Not while it is stored: that must not turn to the JSON. */
export function useDocumentTabs(mayWrite: boolean): DocumentTabs {
  const [tab, open] = useState<DocumentTab>(mayWrite ? 'fields' : 'json');
  const showField = (field: GeneralField) => {
    flushSync(() => open('fields'));
    document.getElementById(generalFieldId(field))?.focus();
  };
  return { tab, open, showField };
}
