// A host of apps, for harness.mjs, which bundles it into a page with one frame and gives it `callTool` and `openLink`.

import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

// Opens the page of a tool in the frame, and gives it what the tool returned.
window.open = async (given, result) => {
  const frame = document.querySelector('iframe');
  const can = { serverTools: {}, openLinks: {} };
  const bridge = new AppBridge(null, { name: 'host', version: '1' }, can, { hostContext: { theme: 'dark' } });
  bridge.oncalltool = params => window.callTool(params);
  bridge.onopenlink = params => window.openLink(params);
  bridge.addEventListener('sizechange', ({ height }) => (frame.style.height = `${height}px`));
  const ready = new Promise(done => bridge.addEventListener('initialized', done));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = '/app';
  await ready;
  await bridge.sendToolInput({ arguments: given });
  await bridge.sendToolResult(result);
  window.bridge = bridge;
};
