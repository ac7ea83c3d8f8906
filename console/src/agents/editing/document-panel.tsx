import { Tabs } from 'radix-ui';
import { useState } from 'react';
import { HAS_REFERENCE } from '../../api/reference.ts';
import { useText } from '../../i18n/language.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import type { EditProps } from './edit-props.ts';
import { GeneralForm } from './general-form.tsx';

const JsonEditor = lazyPart(async () => (await import('../editor/json-editor.tsx')).JsonEditor);

interface DocumentPanelProps extends EditProps {
  /** The text of the document; `document` is null while that is not a JSON object. */
  readonly content: string;
  readonly onContent: (content: string) => void;
  /** The key in use may change the agent. */
  readonly mayWrite: boolean;
  readonly isReadOnly: boolean;
}

/** The agent as fields or as its JSON document: two views of one text. */
export function DocumentPanel({ document, onEdit, content, onContent, mayWrite, isReadOnly }: DocumentPanelProps) {
  const text = useText();
  const { edit } = text.agents;
  // The document is also read-only while it is stored, which must not turn to the JSON.
  const [tab, setTab] = useState(mayWrite ? 'fields' : 'json');
  return (
    <Tabs.Root className="stack" value={tab} onValueChange={setTab}>
      <div className="row spread">
        <h2>{text.agents.document}</h2>
        <Tabs.List className="tabs" aria-label={text.agents.document}>
          <Tabs.Trigger value="fields">{edit.fields}</Tabs.Trigger>
          <Tabs.Trigger value="json">{edit.json}</Tabs.Trigger>
        </Tabs.List>
      </div>
      <Tabs.Content value="fields">
        {document === null ? (
          <p className="quiet">{edit.noForm}</p>
        ) : (
          <fieldset className="plain" disabled={isReadOnly}>
            <GeneralForm document={document} onEdit={onEdit} />
          </fieldset>
        )}
      </Tabs.Content>
      <Tabs.Content value="json">
        {HAS_REFERENCE && <p className="quiet json-hint">{edit.jsonHint}</p>}
        <JsonEditor label={text.agents.editor} content={content} isReadOnly={isReadOnly} onChange={onContent} />
      </Tabs.Content>
    </Tabs.Root>
  );
}
