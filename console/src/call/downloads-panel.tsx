import { useMutation } from '@tanstack/react-query';
import { fileOf } from '../api/connection.ts';
import type { Call } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { useAllowed } from '../session/keyring-store.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { saveFile } from '../ui/save-file.ts';
import { webVtt } from './web-vtt.ts';

/** Files of a call. They are fetched with the key, so no link carries one. */
export function Downloads({ call }: { readonly call: Call }) {
  const text = useText();
  const mayAdminister = useAllowed('admin');
  const fetched = useMutation({
    mutationFn: async ({ name, file }: { readonly name: string; readonly file: () => Promise<Blob> }) =>
      saveFile(name, await file()),
  });
  const save = (name: string, content: string, type: string) => saveFile(name, new Blob([content], { type }));
  const name = `call-${call.id}`;
  return (
    <section className="card stack" aria-label={text.call.downloads}>
      <h2>{text.call.downloads}</h2>
      <div className="row">
        {call.recording_url !== null && (
          <Button
            onClick={() =>
              fetched.mutate({ name: `${name}.wav`, file: () => fileOf(`/v1/calls/${call.id}/recording`) })
            }
          >
            {text.call.recording} (WAV)
          </Button>
        )}
        <Button onClick={() => save(`${name}.json`, JSON.stringify(call, null, 2), 'application/json')}>JSON</Button>
        <Button onClick={() => save(`${name}.txt`, call.transcript_string, 'text/plain')}>{text.call.plainText}</Button>
        <Button onClick={() => save(`${name}.vtt`, webVtt(call), 'text/vtt')}>WebVTT</Button>
        <Button
          onClick={() => fetched.mutate({ name: `${name}-tape.json`, file: () => fileOf(`/v1/calls/${call.id}/tape`) })}
        >
          {text.call.tape}
        </Button>
        {call.type === 'phone_call' && mayAdminister && (
          <Button
            onClick={() => fetched.mutate({ name: `${name}.pcap`, file: () => fileOf(`/v1/calls/${call.id}/pcap`) })}
          >
            pcap
          </Button>
        )}
      </div>
      <ErrorNotice error={fetched.error} />
    </section>
  );
}
