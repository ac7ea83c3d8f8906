// The page that talks to an agent, and, loaded a second time as an AudioWorklet, the part of it that is heard and said.

/** Of the audio both ways: 16-bit samples, a frame of 20 ms a message. */
const LINE_HZ = 16_000;
const FRAME_SAMPLES = 320;

if (typeof registerProcessor === 'function') registerLine();
else startPage();

// ---- The worklet ----------------------------------------------------------------------------------------------------

function registerLine() {
  /** Of the agent's audio, before it is played: what the network's jitter may take. */
  const START_SAMPLES = LINE_HZ * 0.08;
  /** Of more than this that waits, silence is left out until it is gone. */
  const LATE_SAMPLES = LINE_HZ * 0.3;

  /** A stream brought to another rate by a windowed sinc. */
  class Resampler {
    constructor(fromHz, toHz) {
      this.step = fromHz / toHz;
      // Below the lower of the two rates' halves, or what lies above comes back as something else.
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

    /** Gives each sample that can be made to `take`. */
    push(samples, take) {
      const joined = new Float32Array(this.input.length + samples.length);
      joined.set(this.input);
      joined.set(samples, this.input.length);
      for (; this.at + this.reach < joined.length; this.at += this.step) {
        const middle = Math.floor(this.at);
        let sum = 0;
        for (let i = middle - this.reach + 1; i <= middle + this.reach; i++) {
          sum += (joined[i] ?? 0) * this.kernel[Math.round(Math.abs(i - this.at) * this.points)];
        }
        take(sum);
      }
      const used = Math.max(0, Math.floor(this.at) - this.reach);
      this.input = joined.slice(used);
      this.at -= used;
    }
  }

  class Line extends AudioWorkletProcessor {
    constructor() {
      super();
      this.toLine = new Resampler(sampleRate, LINE_HZ);
      this.frame = new Int16Array(FRAME_SAMPLES);
      this.filled = 0;
      this.fromLine = new Resampler(LINE_HZ, sampleRate);
      this.frames = [];
      this.waiting = 0;
      this.ready = [];
      this.plays = false;
      this.port.onmessage = ({ data }) => {
        if (data === 'clear') this.clear();
        else this.take(new Int16Array(data));
      };
    }

    clear() {
      this.frames = [];
      this.waiting = 0;
      this.ready = [];
    }

    take(frame) {
      if (this.waiting > LATE_SAMPLES && frame.every((sample) => sample === 0)) return;
      this.frames.push(Float32Array.from(frame, (sample) => sample / 32_768));
      this.waiting += frame.length;
    }

    process([microphone], [[speaker]]) {
      const heard = microphone[0];
      if (heard !== undefined) this.toLine.push(heard, (sample) => this.say(sample));
      if (speaker !== undefined) this.play(speaker);
      return true;
    }

    say(sample) {
      this.frame[this.filled++] = Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
      if (this.filled < FRAME_SAMPLES) return;
      this.port.postMessage(this.frame.buffer, [this.frame.buffer]);
      this.frame = new Int16Array(FRAME_SAMPLES);
      this.filled = 0;
    }

    play(speaker) {
      if (!this.plays && this.waiting < START_SAMPLES) return;
      this.plays = true;
      while (this.ready.length < speaker.length && this.frames.length > 0) {
        const frame = this.frames.shift();
        this.waiting -= frame.length;
        this.fromLine.push(frame, (sample) => this.ready.push(sample));
      }
      const count = Math.min(speaker.length, this.ready.length);
      for (let i = 0; i < count; i++) speaker[i] = this.ready[i];
      this.ready.splice(0, count);
      // What comes next waits for more behind it again.
      if (count < speaker.length) this.plays = false;
    }
  }

  registerProcessor('line', Line);
}

// ---- The page -------------------------------------------------------------------------------------------------------

function startPage() {
  const WAITING_BYTES_MAX = 64_000;
  const RECONNECT_EVERY_MS = 1_000;
  /** Of full scale: where a meter begins. */
  const QUIETEST_DB = -55;
  const ENDINGS = {
    caller_hangup: 'You hung up.',
    agent_hangup: 'The agent hung up.',
    silence: 'The agent hung up, as nothing was said.',
    max_duration: 'The call reached its longest duration.',
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
  /** A call that somebody else has created, handed over as `#media_url=…`: a fragment is in no request and no log. */
  let given = new URLSearchParams(location.hash.slice(1)).get('media_url');
  /** The one call; null between calls. */
  let call = null;

  history.replaceState(null, '', location.pathname);
  part('choice').hidden = given !== null;
  for (const field of [key, agent]) field.disabled = given !== null || field === agent;
  for (const digit of '123456789*0#') {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = digit;
    button.addEventListener('click', () => say({ type: 'dtmf', digit }));
    part('keypad').append(button);
  }
  if (!window.isSecureContext) {
    tell('A browser gives its microphone to pages of https: or localhost only.', true);
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

  function tell(text, isFault = false) {
    part('status').textContent = text;
    document.body.dataset.fault = String(isFault);
  }

  async function ask(path, body) {
    const response = await fetch(path, {
      headers: { 'x-api-key': key.value.trim(), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    }).catch(() => {
      throw new Error('The service cannot be reached.');
    });
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) throw new Error(answer.message ?? `The service answered ${response.status}.`);
    return answer.data;
  }

  async function listAgents() {
    const asked = key.value.trim();
    if (asked.length < 32) return;
    try {
      const agents = await ask('v1/agents?limit=200');
      if (key.value.trim() !== asked) return;
      agent.replaceChildren(...agents.map(({ id, name }) => new Option(name, id)));
      agent.disabled = agents.length === 0;
      tell(agents.length === 0 ? 'There is no agent yet.' : 'Choose an agent, and call.');
    } catch (error) {
      tell(error.message, true);
    }
  }

  async function begin() {
    start.disabled = true;
    tell('Connecting…');
    const microphone = await navigator.mediaDevices
      .getUserMedia({
        audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true },
      })
      .catch(() => {
        throw new Error('The microphone cannot be used. Allow it for this page, and call again.');
      });
    const context = new AudioContext();
    call = { microphone, context, socket: null, resumeToken: null, media: null, ending: null, startedMs: null };
    await context.audioWorklet.addModule('call/page.js');
    call.line = new AudioWorkletNode(context, 'line', { outputChannelCount: [1] });
    call.meters = { you: context.createAnalyser(), agent: context.createAnalyser() };
    const source = context.createMediaStreamSource(microphone);
    source.connect(call.meters.you);
    source.connect(call.line).connect(call.meters.agent).connect(context.destination);
    call.line.port.onmessage = ({ data }) => {
      const { socket } = call ?? {};
      if (socket?.readyState === WebSocket.OPEN && socket.bufferedAmount < WAITING_BYTES_MAX) socket.send(data);
    };
    await context.resume();
    const created = given ?? (await ask('v1/calls/web', { agent_id: agent.value })).media_url;
    given = null;
    // The service may not know how it is reached from here: the page does.
    const { pathname, searchParams } = new URL(created);
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
      if (typeof data === 'string') obey(JSON.parse(data));
      else call?.line.port.postMessage(data, [data]);
    };
    socket.onclose = () => {
      if (call === null || call.socket !== socket) return;
      call.socket = null;
      if (call.ending !== null) end(call.ending);
      else lost();
    };
  }

  function obey(message) {
    if (call === null) return;
    switch (message.type) {
      case 'connected':
        call.resumeToken = message.resume_token;
        call.resumeUntilMs = null;
        call.resumeMs = message.resume_seconds * 1_000;
        call.startedMs ??= Date.now();
        tell('You are connected.');
        break;
      case 'transcript':
        write(message.entry);
        break;
      case 'clear':
        call.line.port.postMessage('clear');
        break;
      case 'ended':
        call.ending = ENDINGS[message.end_reason] ?? `The call ended: ${message.end_reason.replaceAll('_', ' ')}.`;
    }
  }

  /** A connection that was never made has nothing to go on with. */
  function lost() {
    if (call.resumeToken === null) return end('The service refused the call, or cannot be reached.', true);
    call.resumeUntilMs ??= Date.now() + call.resumeMs;
    if (Date.now() > call.resumeUntilMs) return end('The connection was lost.', true);
    tell('The connection was lost. Reconnecting…', true);
    setTimeout(() => call !== null && connect(call.resumeToken), RECONNECT_EVERY_MS);
  }

  function say(message) {
    if (call?.socket?.readyState === WebSocket.OPEN) call.socket.send(JSON.stringify(message));
  }

  function hangUp() {
    if (call?.socket?.readyState !== WebSocket.OPEN) return end('You hung up.');
    tell('Hanging up…');
    say({ type: 'hangup' });
  }

  function end(text, isFault = false) {
    const ended = call;
    call = null;
    ended?.socket?.close();
    for (const track of ended?.microphone.getTracks() ?? []) track.stop();
    void ended?.context.close();
    const seconds = ended?.startedMs == null ? null : Math.round((Date.now() - ended.startedMs) / 1_000);
    const lasted =
      seconds === null ? '' : ` It lasted ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}.`;
    tell(`${text}${lasted}`, isFault);
    // A call that was handed over cannot be made again.
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
    for (const [who, analyser] of Object.entries(call.meters)) {
      const samples = new Float32Array(analyser.fftSize);
      analyser.getFloatTimeDomainData(samples);
      const level = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
      const share = Math.max(0, Math.min(1, 1 - (20 * Math.log10(level + 1e-9)) / QUIETEST_DB));
      part(`meter-${who}`).querySelector('.level').style.transform = `scaleX(${share.toFixed(3)})`;
    }
    requestAnimationFrame(draw);
  }

  /** An entry with a sequence that stands there takes the place of that one. */
  function write(entry) {
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
    if (role === 'dtmf') return note(`Keys: ${content}`);
    if (role === 'tool_call') return note(`The agent uses ${name}`);
    if (role === 'tool_response') return successful ? null : note(`${name} failed`);
    return note(`→ ${to}`);
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
    const who = document.createElement('span');
    who.className = 'who';
    who.textContent = role === 'user' ? 'You' : interrupted ? 'Agent, interrupted' : 'Agent';
    line.append(who, content);
    if (interrupted && generated?.startsWith(content) && generated.length > content.length) {
      const unheard = document.createElement('span');
      unheard.className = 'unheard';
      unheard.textContent = generated.slice(content.length);
      line.append(unheard);
    }
    return line;
  }
}
