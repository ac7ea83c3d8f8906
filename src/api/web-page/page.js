// The call page. The same file is also loaded as an AudioWorklet, which records and plays the audio of the call.

/** Sample rate of the call audio in both directions: 16-bit samples, one 20 ms frame per message. */
const CALL_HZ = 16_000;
const FRAME_SAMPLES = 320;

if (typeof registerProcessor === 'function') registerCallAudio();
else startPage();

// ---- The worklet ----------------------------------------------------------------------------------------------------

function registerCallAudio() {
  /** Samples buffered before playback starts, against network jitter. */
  const START_SAMPLES = CALL_HZ * 0.08;
  /** Above this number of buffered samples, frames of silence are dropped. */
  const LATE_SAMPLES = CALL_HZ * 0.3;

  /** Resamples a stream with a windowed sinc filter. */
  class Resampler {
    constructor(fromHz, toHz) {
      this.step = fromHz / toHz;
      // Below half the lower sample rate, otherwise higher frequencies alias.
      this.cutoff = Math.min(1, toHz / fromHz) * 0.94;
      this.reach = Math.ceil(14 / this.cutoff);
      this.points = 64;
      this.kernel = Float32Array.from({ length: this.reach * this.points + 2 }, (_, i) => {
        const x = i / this.points;
        const t = Math.PI * x * this.cutoff;
        const window = 0.5 + 0.5 * Math.cos((Math.PI * x) / (this.reach + 1));
        return this.cutoff * (t === 0 ? 1 : Math.sin(t) / t) * window;
      });
      this.input = new Float32Array(this.reach);
      this.at = this.reach;
    }

    /** Passes each output sample to `emit`. */
    push(samples, emit) {
      const joined = new Float32Array(this.input.length + samples.length);
      joined.set(this.input);
      joined.set(samples, this.input.length);
      for (; this.at + this.reach < joined.length; this.at += this.step) {
        const middle = Math.floor(this.at);
        let sum = 0;
        for (let i = middle - this.reach + 1; i <= middle + this.reach; i++) {
          sum += (joined[i] ?? 0) * this.kernel[Math.round(Math.abs(i - this.at) * this.points)];
        }
        emit(sum);
      }
      const used = Math.max(0, Math.floor(this.at) - this.reach);
      this.input = joined.slice(used);
      this.at -= used;
    }
  }

  class CallAudio extends AudioWorkletProcessor {
    constructor() {
      super();
      this.toCall = new Resampler(sampleRate, CALL_HZ);
      this.frame = new Int16Array(FRAME_SAMPLES);
      this.filled = 0;
      this.fromCall = new Resampler(CALL_HZ, sampleRate);
      this.frames = [];
      this.queuedSamples = 0;
      this.ready = [];
      this.isPlaying = false;
      this.port.onmessage = ({ data }) => {
        if (data === 'clear') this.clear();
        else this.queue(new Int16Array(data));
      };
    }

    clear() {
      this.frames = [];
      this.queuedSamples = 0;
      this.ready = [];
    }

    queue(frame) {
      if (this.queuedSamples > LATE_SAMPLES && frame.every((sample) => sample === 0)) return;
      this.frames.push(Float32Array.from(frame, (sample) => sample / 32_768));
      this.queuedSamples += frame.length;
    }

    process([microphone], [[speaker]]) {
      const captured = microphone[0];
      if (captured !== undefined) this.toCall.push(captured, (sample) => this.send(sample));
      if (speaker !== undefined) this.play(speaker);
      return true;
    }

    send(sample) {
      this.frame[this.filled++] = Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
      if (this.filled < FRAME_SAMPLES) return;
      this.port.postMessage(this.frame.buffer, [this.frame.buffer]);
      this.frame = new Int16Array(FRAME_SAMPLES);
      this.filled = 0;
    }

    play(speaker) {
      if (!this.isPlaying && this.queuedSamples < START_SAMPLES) return;
      this.isPlaying = true;
      while (this.ready.length < speaker.length && this.frames.length > 0) {
        const frame = this.frames.shift();
        this.queuedSamples -= frame.length;
        this.fromCall.push(frame, (sample) => this.ready.push(sample));
      }
      const count = Math.min(speaker.length, this.ready.length);
      for (let i = 0; i < count; i++) speaker[i] = this.ready[i];
      this.ready.splice(0, count);
      // After an underrun, playback starts again when enough audio is buffered.
      if (count < speaker.length) this.isPlaying = false;
    }
  }

  registerProcessor('call-audio', CallAudio);
}

// ---- The page -------------------------------------------------------------------------------------------------------

function startPage() {
  const BUFFERED_BYTES_MAX = 64_000;
  const RECONNECT_EVERY_MS = 1_000;
  /** Level at which a meter starts, dB relative to full scale. */
  const QUIETEST_DB = -55;
  const ENDINGS = {
    caller_hangup: 'You hung up.',
    agent_hangup: 'The agent hung up.',
    silence: 'The agent hung up because nobody spoke.',
    max_duration: 'The call reached its maximum duration.',
    no_media: 'The connection was lost.',
    shutdown: 'The service is shutting down.',
    terminated: 'The call was terminated.',
  };

  const part = (id) => document.getElementById(id);
  const setup = part('setup');
  const key = part('key');
  const agent = part('agent');
  const start = part('start');
  const transcript = part('transcript');
  /** URL of an existing call from `#media_url=…`. A fragment appears in no request and no log. */
  let givenMediaUrl = new URLSearchParams(location.hash.slice(1)).get('media_url');
  /** The current call. null between calls. */
  let call = null;

  history.replaceState(null, '', location.pathname);
  part('choice').hidden = givenMediaUrl !== null;
  for (const field of [key, agent]) field.disabled = givenMediaUrl !== null || field === agent;
  for (const digit of '123456789*0#') {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = digit;
    button.addEventListener('click', () => sendMessage({ type: 'dtmf', digit }));
    part('keypad').append(button);
  }
  if (!window.isSecureContext) {
    showStatus('Browsers allow the microphone only on https and localhost. Open this page through https.', true);
    start.disabled = true;
  }

  key.addEventListener('input', listAgents);
  setup.addEventListener('submit', (event) => {
    event.preventDefault();
    begin().catch((error) => end(error.message, true));
  });
  part('hangup').addEventListener('click', hangUp);
  part('mute').addEventListener('click', ({ currentTarget }) => {
    if (call === null) return;
    const muted = currentTarget.getAttribute('aria-pressed') !== 'true';
    currentTarget.setAttribute('aria-pressed', String(muted));
    for (const track of call.microphone.getAudioTracks()) track.enabled = !muted;
  });
  part('keys').addEventListener('click', ({ currentTarget }) => {
    const open = part('keypad').hidden;
    part('keypad').hidden = !open;
    currentTarget.setAttribute('aria-expanded', String(open));
  });
  addEventListener('pagehide', () => call?.socket?.close());

  function showStatus(text, isFault = false) {
    part('status').textContent = text;
    document.body.dataset.fault = String(isFault);
  }

  async function request(path, body) {
    const response = await fetch(path, {
      headers: { 'x-api-key': key.value.trim(), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    }).catch(() => {
      throw new Error('The service is unreachable. Check your connection and try again.');
    });
    const envelope = await response.json().catch(() => ({}));
    if (!response.ok) throw new Error(envelope.message ?? `The service responded with HTTP status ${response.status}.`);
    return envelope.data;
  }

  async function listAgents() {
    const apiKey = key.value.trim();
    if (apiKey.length < 32) return;
    try {
      const agents = await request('v1/agents?limit=200');
      if (key.value.trim() !== apiKey) return;
      agent.replaceChildren(...agents.map(({ id, name }) => new Option(name, id)));
      agent.disabled = agents.length === 0;
      showStatus(agents.length === 0 ? 'No agents yet. Create one with POST /v1/agents.' : 'Choose an agent and call.');
    } catch (error) {
      showStatus(error.message, true);
    }
  }

  async function begin() {
    start.disabled = true;
    showStatus('Connecting…');
    const microphone = await navigator.mediaDevices
      .getUserMedia({
        audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true },
      })
      .catch(() => {
        throw new Error('The microphone is not available. Allow it for this page and call again.');
      });
    const context = new AudioContext();
    call = { microphone, context, socket: null, resumeToken: null, media: null, ending: null, startedMs: null };
    await context.audioWorklet.addModule('call/page.js');
    call.audio = new AudioWorkletNode(context, 'call-audio', { outputChannelCount: [1] });
    call.meters = { you: context.createAnalyser(), agent: context.createAnalyser() };
    const source = context.createMediaStreamSource(microphone);
    source.connect(call.meters.you);
    source.connect(call.audio).connect(call.meters.agent).connect(context.destination);
    call.audio.port.onmessage = ({ data }) => {
      const { socket } = call ?? {};
      if (socket?.readyState === WebSocket.OPEN && socket.bufferedAmount < BUFFERED_BYTES_MAX) socket.send(data);
    };
    await context.resume();
    const mediaUrl = givenMediaUrl ?? (await request('v1/calls/web', { agent_id: agent.value })).media_url;
    givenMediaUrl = null;
    // The public URL of the service may be unset or wrong: the page knows the address that works.
    const { pathname, searchParams } = new URL(mediaUrl);
    const base = new URL(`v1/${pathname.split('/v1/').at(-1)}`, location.href);
    base.protocol = base.protocol.replace('http', 'ws');
    call.media = base;
    transcript.replaceChildren();
    connect(searchParams.get('token'));
    show();
  }

  function connect(token) {
    const url = new URL(call.media);
    url.searchParams.set('token', token);
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    call.socket = socket;
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') handleMessage(JSON.parse(data));
      else call?.audio.port.postMessage(data, [data]);
    };
    socket.onclose = () => {
      if (call === null || call.socket !== socket) return;
      call.socket = null;
      if (call.ending !== null) end(call.ending);
      else reconnect();
    };
  }

  function handleMessage(message) {
    if (call === null) return;
    switch (message.type) {
      case 'connected':
        call.resumeToken = message.resume_token;
        call.resumeUntilMs = null;
        call.resumeMs = message.resume_seconds * 1_000;
        call.startedMs ??= Date.now();
        showStatus('Connected. Speak now.');
        break;
      case 'transcript':
        showEntry(message.entry);
        break;
      case 'clear':
        call.audio.port.postMessage('clear');
        break;
      case 'ended':
        call.ending = ENDINGS[message.end_reason] ?? `The call ended: ${message.end_reason.replaceAll('_', ' ')}.`;
    }
  }

  /** A call can be resumed only after its first connection. */
  function reconnect() {
    if (call.resumeToken === null) return end('The service refused the call or is unreachable.', true);
    call.resumeUntilMs ??= Date.now() + call.resumeMs;
    if (Date.now() > call.resumeUntilMs) return end('The connection was lost.', true);
    showStatus('The connection was lost. Reconnecting…', true);
    setTimeout(() => call !== null && connect(call.resumeToken), RECONNECT_EVERY_MS);
  }

  function sendMessage(message) {
    if (call?.socket?.readyState === WebSocket.OPEN) call.socket.send(JSON.stringify(message));
  }

  function hangUp() {
    if (call?.socket?.readyState !== WebSocket.OPEN) return end('You hung up.');
    showStatus('Hanging up…');
    sendMessage({ type: 'hangup' });
  }

  function end(text, isFault = false) {
    const ended = call;
    call = null;
    ended?.socket?.close();
    for (const track of ended?.microphone.getTracks() ?? []) track.stop();
    void ended?.context.close();
    const seconds = ended?.startedMs == null ? null : Math.round((Date.now() - ended.startedMs) / 1_000);
    const duration =
      seconds === null ? '' : ` Duration ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}.`;
    showStatus(`${text}${duration}`, isFault);
    // A call from `#media_url` cannot be started again.
    setup.hidden = part('choice').hidden && seconds !== null;
    start.disabled = false;
    start.textContent = seconds === null ? 'Call' : 'Call again';
    document.body.dataset.phase = 'ended';
    part('call').hidden = true;
    part('conversation').hidden = transcript.childElementCount === 0;
    if (!setup.hidden) start.focus();
  }

  function show() {
    document.body.dataset.phase = 'call';
    setup.hidden = true;
    part('call').hidden = false;
    part('conversation').hidden = false;
    part('mute').setAttribute('aria-pressed', 'false');
    part('hangup').focus();
    requestAnimationFrame(draw);
  }

  function draw() {
    if (call === null) return;
    for (const [party, analyser] of Object.entries(call.meters)) {
      const samples = new Float32Array(analyser.fftSize);
      analyser.getFloatTimeDomainData(samples);
      const level = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
      const share = Math.max(0, Math.min(1, 1 - (20 * Math.log10(level + 1e-9)) / QUIETEST_DB));
      part(`meter-${party}`).querySelector('.level').style.transform = `scaleX(${share.toFixed(3)})`;
    }
    requestAnimationFrame(draw);
  }

  /** Shows an entry. It replaces an earlier entry with the same sequence. */
  function showEntry(entry) {
    const line = lineOf(entry);
    const before = transcript.querySelector(`[data-sequence="${entry.sequence}"]`);
    const atEnd = transcript.scrollHeight - transcript.scrollTop - transcript.clientHeight < 60;
    if (line === null) return;
    line.dataset.sequence = entry.sequence;
    if (before !== null) before.replaceWith(line);
    else transcript.append(line);
    if (atEnd) transcript.scrollTop = transcript.scrollHeight;
  }

  function lineOf({ role, content, interrupted, generated_content: generated, name, to, successful }) {
    if (role === 'user' || role === 'agent') return speech(role, content, interrupted, generated);
    if (role === 'dtmf') return note(`Digits: ${content}`);
    if (role === 'tool_call') return note(`Tool: ${name}`);
    if (role === 'tool_response') return successful ? null : note(`Tool failed: ${name}`);
    return note(`State: ${to}`);
  }

  function note(text) {
    const line = document.createElement('li');
    line.className = 'note';
    line.textContent = text;
    return line;
  }

  function speech(role, content, interrupted, generated) {
    const line = document.createElement('li');
    line.className = role;
    const speaker = document.createElement('span');
    speaker.className = 'speaker';
    speaker.textContent = role === 'user' ? 'You' : interrupted ? 'Agent, interrupted' : 'Agent';
    line.append(speaker, content);
    if (interrupted && generated?.startsWith(content) && generated.length > content.length) {
      const unspoken = document.createElement('span');
      unspoken.className = 'unspoken';
      unspoken.textContent = generated.slice(content.length);
      line.append(unspoken);
    }
    return line;
  }
}
