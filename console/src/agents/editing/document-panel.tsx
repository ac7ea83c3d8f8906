import { Tabs } from 'radix-ui';
import { HAS_REFERENCE } from '../../api/reference.ts';
import { useText } from '../../i18n/language.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import type { DocumentTabs } from './document-tabs.ts';
import type { EditProps } from './edit-props.ts';
import { GeneralForm } from './general-form.tsx';

const JsonEditor = lazyPart(async () => (await import('../editor/json-editor.tsx')).JsonEditor);

interface DocumentPanelProps extends EditProps {
  /** The text of the document; `document` is null while that is not a JSON object. */
  readonly content: string;
  readonly onContent: (content: string) => void;
  readonly tabs: DocumentTabs;
  readonly isReadOnly: boolean;
}

/** The agent as fields or as its JSON document: two views of one text. */
export function DocumentPanel({ document, onEdit, content, onContent, tabs, isReadOnly }: DocumentPanelProps) {
  const text = useText();
  const { edit } = text.agents;
  return (
    <section className="card" aria-label={text.agents.document}>
      <Tabs.Root className="stack" value={tabs.tab} onValueChange={(tab) => tabs.open(tab === 'json' ? tab : 'fields')}>
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
    </section>
  );
}
