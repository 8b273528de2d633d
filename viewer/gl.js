// WebGL2: programs, batches of instances, lines of a given width, points, the ground.

import { scene } from './data.js';

// A renderer in software draws large models without smooth edges and shadows, at twice the speed.
const inSoftware = () => {
  const probe = document.createElement('canvas').getContext('webgl2'), about = probe && probe.getExtension('WEBGL_debug_renderer_info');
  const name = about ? probe.getParameter(about.UNMASKED_RENDERER_WEBGL) : '';
  if (probe) probe.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
};
export const plain = scene.bodies.length > 400 && inSoftware();
export const canvas = document.getElementById('scene-canvas');
export const gl = canvas.getContext('webgl2', { antialias: !plain, stencil: true, alpha: false });

const common = `#version 300 es
precision highp float; precision highp int;
uniform mat4 uView; uniform vec3 uEye, uSun, uUp; uniform vec4 uPlane; uniform int uMode;
`;
const shade = `
vec3 shade(vec3 base, vec3 n, vec3 p) {
  vec3 e = normalize(uEye - p); if (dot(n, e) < 0.) n = -n;
  float sun = max(dot(n, uSun), 0.), sky = .5 + .5*dot(n, uUp), rim = pow(1. - max(dot(n, e), 0.), 3.);
  float gloss = pow(max(dot(n, normalize(uSun + e)), 0.), 40.);
  vec3 c = base*base*(mix(vec3(.40,.39,.40), vec3(.60,.63,.67), sky) + .66*sun*vec3(1.,.98,.94)) + .10*gloss + .05*rim;
  return sqrt(c);
}`;
const solidVertex = common + `
layout(location=0) in vec3 aPoint; layout(location=1) in vec3 aNormal;
layout(location=2) in vec3 iAt; layout(location=3) in vec4 iTurn; layout(location=4) in vec3 iSize;
layout(location=5) in vec4 iColor; layout(location=6) in vec4 iId;
uniform int uCoil; out vec3 vNormal, vPoint; flat out vec4 vColor, vId;
vec3 turn(vec4 q, vec3 v) { vec3 t = 2.*cross(q.yzw, v); return v + q.x*t + cross(q.yzw, t); }
void main() {
  vec3 p = aPoint*iSize, n = aNormal/iSize;
  if (uCoil == 1) {
    float u = aPoint.x, s = clamp((u - .12)/.76, 0., 1.), a = 50.2655*s, w = iSize.y;
    float on = smoothstep(.06, .16, u)*smoothstep(.94, .84, u), r = iSize.x*on;
    vec3 e = vec3(cos(a), sin(a), 0.), t = normalize(mix(vec3(0,0,1), vec3(-66.*r*e.y, 66.*r*e.x, iSize.z), on)), f = cross(t, e);
    n = cos(aPoint.y)*e + sin(aPoint.y)*f; p = r*e + vec3(0, 0, u*iSize.z) + w*n;
  }
  vPoint = iAt + turn(iTurn, p); vNormal = turn(iTurn, n); vColor = iColor; vId = iId;
  vec3 at = vPoint;
  if (uMode == 1) at -= uSun*((dot(at, uPlane.xyz) - uPlane.w)/dot(uSun, uPlane.xyz));
  gl_Position = uView*vec4(at, 1.);
  if (uMode == 1 && dot(vPoint, uPlane.xyz) < uPlane.w) gl_Position = vec4(2., 2., 2., 1.);
}`;
const solidFragment = common + shade + `
in vec3 vNormal, vPoint; flat in vec4 vColor, vId; uniform vec4 uShadow; out vec4 color;
void main() {
  if (uMode == 1) { color = uShadow; return; }
  if (uMode == 2) { color = vId; return; }
  color = vec4(shade(vColor.rgb, normalize(vNormal), vPoint), vColor.a);
}`;
const freeVertex = common + `
layout(location=0) in vec3 aPoint; layout(location=1) in vec3 aNormal; layout(location=2) in vec3 aColor; layout(location=3) in vec4 aId;
out vec3 vNormal, vPoint; flat out vec4 vId; out vec4 vColor;
void main() {
  vPoint = aPoint; vNormal = aNormal; vColor = vec4(aColor, 1.); vId = aId; vec3 at = vPoint;
  if (uMode == 1) at -= uSun*((dot(at, uPlane.xyz) - uPlane.w)/dot(uSun, uPlane.xyz));
  gl_Position = uView*vec4(at, 1.);
}`;
const lineVertex = common + `
layout(location=0) in vec2 aSide; layout(location=1) in vec3 iA; layout(location=2) in vec3 iB; layout(location=3) in vec4 iColor;
uniform vec2 uPixel; uniform float uWidth; out vec4 vColor;
void main() {
  vec4 a = uView*vec4(iA, 1.), b = uView*vec4(iB, 1.);
  float near = 1e-4; if (a.w < near && b.w < near) { gl_Position = vec4(2.,2.,2.,1.); return; }
  if (a.w < near) a = mix(a, b, (near - a.w)/(b.w - a.w)); if (b.w < near) b = mix(b, a, (near - b.w)/(a.w - b.w));
  vec2 d = (b.xy/b.w - a.xy/a.w)/uPixel; d = length(d) > 0. ? normalize(d) : vec2(1., 0.);
  vec4 p = aSide.x < .5 ? a : b; p.xy += (vec2(-d.y, d.x)*aSide.y + d*(aSide.x*2. - 1.)*.5)*uWidth*uPixel*p.w; p.z -= 2e-5*p.w;
  gl_Position = p; vColor = iColor;
}`;
const plainFragment = common + `in vec4 vColor; out vec4 color; void main() { if (uMode == 2) discard; color = vColor; }`;
const pointVertex = common + `
layout(location=0) in vec3 aPoint; layout(location=1) in vec4 aColor; layout(location=2) in vec4 aId;
uniform float uSize; out vec4 vColor; flat out vec4 vId;
void main() { gl_Position = uView*vec4(aPoint, 1.); gl_PointSize = clamp(uSize/gl_Position.w, 2., 12.); vColor = aColor; vId = aId; }`;
const pointFragment = common + `in vec4 vColor; flat in vec4 vId; out vec4 color;
void main() { vec2 d = gl_PointCoord - .5; if (dot(d, d) > .25) discard; color = uMode == 2 ? vId : vec4(vColor.rgb*(1. - dot(d, d)), 1.); }`;
const groundVertex = common + `
layout(location=0) in vec2 aCorner; uniform vec3 uCentre, uE1, uE2; uniform float uReach; out vec2 vAt;
void main() { vAt = aCorner*uReach; gl_Position = uView*vec4(uCentre + vAt.x*uE1 + vAt.y*uE2, 1.); }`;
const groundFragment = common + `
in vec2 vAt; uniform vec3 uLine, uFloor; uniform vec2 uShift; uniform float uCell, uReach; out vec4 color;
float grid(vec2 p) { vec2 g = abs(fract(p - .5) - .5)/fwidth(p); return 1. - min(min(g.x, g.y), 1.); }
void main() {
  vec2 p = vAt + uShift; float fade = 1. - smoothstep(.35, 1., length(vAt)/uReach);
  float k = max(.35*grid(p/uCell), .8*grid(p/(5.*uCell)));
  float a = fade*(.30 + .70*k); color = vec4(mix(uFloor, uLine, k), a);
}`;

export const compile = (vertex, fragment) => {
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const s = gl.createShader(type);
    gl.shaderSource(s, text); gl.compileShader(s);
    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
    gl.attachShader(program, s);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const at = {};
  for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); k++) {
    const name = gl.getActiveUniform(program, k).name;
    at[name] = gl.getUniformLocation(program, name);
  }
  return { program, at };
};

export let programs;
export const openPrograms = () => {
  programs = { solid: compile(solidVertex, solidFragment), free: compile(freeVertex, solidFragment.replace('flat in vec4 vColor, vId', 'in vec4 vColor; flat in vec4 vId')),
    line: compile(lineVertex, plainFragment), point: compile(pointVertex, pointFragment), ground: compile(groundVertex, groundFragment) };
};

const buffer = (data, target = gl.ARRAY_BUFFER, use = gl.STATIC_DRAW) => {
  const b = gl.createBuffer();
  gl.bindBuffer(target, b); gl.bufferData(target, data, use);
  return b;
};
const attribute = (k, n, type, stride, offset, divisor) => {
  gl.enableVertexAttribArray(k);
  gl.vertexAttribPointer(k, n, type, type !== gl.FLOAT, stride, offset);
  gl.vertexAttribDivisor(k, divisor);
};

// Instances of one geometry: place, rotation, size, colour and id of each; 12 words.
export const WORDS = 12;
export class Batch {
  constructor(geometry, coil = 0) {
    this.coil = coil; this.count = geometry.indices.length; this.n = 0; this.room = 0;
    this.vao = gl.createVertexArray();
    gl.bindVertexArray(this.vao);
    buffer(geometry.points); attribute(0, 3, gl.FLOAT, 12, 0, 0);
    buffer(geometry.normals); attribute(1, 3, gl.FLOAT, 12, 0, 0);
    buffer(geometry.indices, gl.ELEMENT_ARRAY_BUFFER);
    this.buffer = gl.createBuffer();
    this.reserve(16);
  }
  reserve(n) {
    if (n <= this.room) return;
    const old = this.floats;
    this.room = Math.max(n, 2 * this.room);
    this.floats = new Float32Array(WORDS * this.room);
    if (old) this.floats.set(old);
    this.words = new Uint32Array(this.floats.buffer);
    gl.bindVertexArray(this.vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.floats.byteLength, gl.DYNAMIC_DRAW);
    [[2, 3, 0], [3, 4, 12], [4, 3, 28]].forEach(([k, c, o]) => attribute(k, c, gl.FLOAT, 4 * WORDS, o, 1));
    attribute(5, 4, gl.UNSIGNED_BYTE, 4 * WORDS, 40, 1); attribute(6, 4, gl.UNSIGNED_BYTE, 4 * WORDS, 44, 1);
  }
  upload() {
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.floats, 0, WORDS * this.n);
  }
  draw(at) {
    if (!this.n) return;
    gl.uniform1i(at.uCoil, this.coil);
    gl.bindVertexArray(this.vao);
    gl.drawElementsInstanced(gl.TRIANGLES, this.count, gl.UNSIGNED_INT, 0, this.n);
  }
}

// Triangles that change in each frame: place, normal, colour, id.
export class Free {
  constructor() {
    this.vao = gl.createVertexArray(); this.buffers = [0, 1, 2, 3].map(() => gl.createBuffer()); this.elements = gl.createBuffer(); this.count = 0;
    gl.bindVertexArray(this.vao);
    this.buffers.forEach((b, k) => { gl.bindBuffer(gl.ARRAY_BUFFER, b); attribute(k, k < 3 ? 3 : 4, k < 3 ? gl.FLOAT : gl.UNSIGNED_BYTE, 0, 0, 0); });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.elements);
  }
  indices(data) { gl.bindVertexArray(this.vao); gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, data, gl.STATIC_DRAW); this.count = data.length; }
  upload(...arrays) { arrays.forEach((a, k) => { gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[k]); gl.bufferData(gl.ARRAY_BUFFER, a, gl.DYNAMIC_DRAW); }); }
  draw() { if (this.count) { gl.bindVertexArray(this.vao); gl.drawElements(gl.TRIANGLES, this.count, gl.UNSIGNED_INT, 0); } }
}

// Straight lines of some pixels: two ends and a colour; 7 words.
export class Lines {
  constructor(width) {
    this.width = width; this.n = 0; this.room = 0; this.vao = gl.createVertexArray();
    gl.bindVertexArray(this.vao);
    buffer(new Float32Array([0, -1, 1, -1, 0, 1, 1, 1])); attribute(0, 2, gl.FLOAT, 0, 0, 0);
    this.buffer = gl.createBuffer();
    this.reserve(64);
  }
  reserve(n) {
    if (n <= this.room) return;
    this.room = Math.max(n, 2 * this.room);
    const old = this.floats;
    this.floats = new Float32Array(7 * this.room);
    if (old) this.floats.set(old);
    this.words = new Uint32Array(this.floats.buffer);
    gl.bindVertexArray(this.vao); gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.floats.byteLength, gl.DYNAMIC_DRAW);
    attribute(1, 3, gl.FLOAT, 28, 0, 1); attribute(2, 3, gl.FLOAT, 28, 12, 1); attribute(3, 4, gl.UNSIGNED_BYTE, 28, 24, 1);
  }
  clear() { this.n = 0; }
  add(a, b, color) {
    this.reserve(this.n + 1);
    const o = 7 * this.n++, f = this.floats;
    f[o] = a[0]; f[o + 1] = a[1]; f[o + 2] = a[2]; f[o + 3] = b[0]; f[o + 4] = b[1]; f[o + 5] = b[2];
    this.words[o + 6] = color;
  }
  draw(at, pixel) {
    if (!this.n) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer); gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.floats, 0, 7 * this.n);
    gl.uniform2f(at.uPixel, ...pixel); gl.uniform1f(at.uWidth, this.width);
    gl.bindVertexArray(this.vao); gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.n);
  }
}

// Bodies as points, where there are too many for boxes.
export class Points {
  constructor(n) {
    this.n = n; this.vao = gl.createVertexArray(); this.buffers = [0, 1, 2].map(() => gl.createBuffer());
    gl.bindVertexArray(this.vao);
    this.buffers.forEach((b, k) => { gl.bindBuffer(gl.ARRAY_BUFFER, b); attribute(k, k ? 4 : 3, k ? gl.UNSIGNED_BYTE : gl.FLOAT, 0, 0, 0); });
  }
  set(k, data) { gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[k]); gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW); }
  draw() { gl.bindVertexArray(this.vao); gl.drawArrays(gl.POINTS, 0, this.n); }
}

let square;
export const drawSquare = () => {
  if (!square) { square = gl.createVertexArray(); gl.bindVertexArray(square); buffer(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1])); attribute(0, 2, gl.FLOAT, 0, 0, 0); }
  gl.bindVertexArray(square); gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
};
