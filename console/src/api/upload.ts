import { failureOfText } from './api-failure.ts';
import { keyHeaders, SERVICE_URL } from './connection.ts';
import { ServiceUnreachable } from './service-unreachable.ts';

/** Sends a form with files. `fetch` reports no progress of a request. @throws ApiFailure, ServiceUnreachable */
export function upload(path: string, form: FormData, onProgress: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `${SERVICE_URL}${path}`);
    for (const [name, value] of Object.entries(keyHeaders())) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      if (request.status < 300) return resolve();
      reject(failureOfText(request.status, request.responseText));
    };
    request.onerror = () => reject(new ServiceUnreachable());
    request.send(form);
  });
}
