// The types of the library of QR codes, which declares them under the name of its package.
/// <reference path="../../../node_modules/lean-qr/index.d.ts" />
export { generate } from 'lean-qr';
