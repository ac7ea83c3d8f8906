import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { upload } from '../api/upload.ts';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { refusedUpload, uploadFault } from './upload-fault.ts';

const TITLE_LENGTH_MAX = 255;
/** For the `pattern` of an input. */
const NOT_BLANK = '.*\\S.*';

interface UploadProps {
  readonly baseId: string;
  /** Whether a source is being read. */
  readonly isReading: boolean;
}

/** Adds PDF files or a text. The service reads them afterwards. */
export function Upload({ baseId, isReading }: UploadProps) {
  const text = useText();
  const client = useQueryClient();
  const [files, title, content] = [useId(), useId(), useId()];
  const [share, setShare] = useState<number | null>(null);
  // A text and its title are stored together: neither may be dropped with the form.
  const [has, setHas] = useState({ title: false, content: false });
  const sent = useMutation({
    mutationFn: async (form: HTMLFormElement) => {
      const given = new FormData(form);
      const fault = await uploadFault(filesOf(given), has.content, text);
      if (fault !== null) throw new Error(fault);
      await upload(`/v1/knowledge-bases/${baseId}/sources`, sourcesOf(given), setShare);
    },
    onSuccess: (_done, form) => {
      form.reset();
      setHas({ title: false, content: false });
      return client.invalidateQueries({ queryKey: ['knowledge'] });
    },
    onSettled: () => setShare(null),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    sent.mutate(event.currentTarget);
  };
  return (
    <form className="card stack" onSubmit={submit}>
      <h2>{text.knowledge.add}</h2>
      <label htmlFor={files}>{text.knowledge.files}</label>
      <input id={files} name="file_sources" type="file" accept="application/pdf" multiple />
      <label htmlFor={title}>{text.knowledge.textTitle}</label>
      <input
        id={title}
        name="title"
        maxLength={TITLE_LENGTH_MAX}
        required={has.content}
        pattern={NOT_BLANK}
        onChange={({ target }) => setHas({ ...has, title: target.value !== '' })}
      />
      <label htmlFor={content}>{text.knowledge.text}</label>
      <textarea
        id={content}
        name="content"
        rows={3}
        required={has.title}
        onChange={({ target }) => setHas({ ...has, content: target.value.trim() !== '' })}
      />
      <div className="row">
        <Button tone="main" type="submit" disabled={sent.isPending}>
          {text.knowledge.upload}
        </Button>
        {share !== null && <progress max={1} value={share} aria-label={text.knowledge.progress} />}
        {sent.isSuccess && (
          <Notice tone="good">
            {text.knowledge.uploaded} {isReading && text.knowledge.reading}
          </Notice>
        )}
        {sent.error !== null && <Notice tone="bad">{refusedUpload(sent.error, text)}</Notice>}
      </div>
    </form>
  );
}

/** The chosen files. A browser gives a file without a name for none. */
function filesOf(form: FormData): readonly File[] {
  return form.getAll('file_sources').flatMap((file) => (file instanceof File && file.name !== '' ? [file] : []));
}

/** The fields of the upload request: the chosen files, and the text, which the form lets through with its title only. */
function sourcesOf(form: FormData): FormData {
  const sources = new FormData();
  for (const file of filesOf(form)) sources.append('file_sources', file);
  const [title, content] = [String(form.get('title')).trim(), String(form.get('content'))];
  if (title !== '' && content.trim() !== '') sources.append('text_sources', JSON.stringify([{ title, content }]));
  return sources;
}
