// Pictures and films to take away.
import { scene } from './data.js';
import { canvas } from './gl.js';

const save = (blob, ending) => {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(blob);
  a.download = scene.model.replace(/[^\w-]+/g, '_') + ending;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
};

// To the clipboard where the browser lets us, else as a file.
export const copyPicture = (draw, say) => {
  draw();
  canvas.toBlob(async blob => {
    try {
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]);
      say('Picture copied');
    } catch { save(blob, '.png'); say('Picture saved'); }
  });
};

let recorder = null;
export const isRecording = () => recorder !== null;
export const record = (say, ended) => {
  if (recorder) { recorder.stop(); return; }
  if (!canvas.captureStream || !window.MediaRecorder) { say('This browser cannot record'); return; }
  const parts = [], type = ['video/webm;codecs=vp9', 'video/webm', 'video/mp4'].find(x => MediaRecorder.isTypeSupported(x));
  recorder = new MediaRecorder(canvas.captureStream(60), { mimeType: type, videoBitsPerSecond: 1.2e7 });
  recorder.ondataavailable = e => parts.push(e.data);
  recorder.onstop = () => { save(new Blob(parts, { type }), type.includes('mp4') ? '.mp4' : '.webm'); recorder = null; say('Film saved'); ended(); };
  recorder.start();
  say('Recording one pass');
};
export const stopRecording = () => { if (recorder) recorder.stop(); };
