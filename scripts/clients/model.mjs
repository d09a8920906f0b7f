// A stand-in for a language model, so that a real agent can be driven without one:
// it answers the Anthropic messages API with one tool call a turn, as PLAN says
// ([{"tool": "mem_save", "input": {…}}, …]), then with a text. What the agent
// sent is appended to LOG, a line of JSON a request. The port is printed.
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const plan = JSON.parse(readFileSync(process.env.PLAN, 'utf8'));

// The tool's name as the agent offers it, with the agent's own prefix.
function offered(tools, name) {
  return tools.map((t) => t.name).find((n) => n === name || n.endsWith('__' + name));
}

// How many tool results the conversation has: that many steps are done.
function results(messages) {
  return messages.flatMap((m) => (Array.isArray(m.content) ? m.content : [])).filter((b) => b.type === 'tool_result').length;
}

function answer(request) {
  const step = plan[results(request.messages)];
  const name = step && offered(request.tools ?? [], step.tool);
  if (!name) return { content: { type: 'text', text: 'all done' }, reason: 'end_turn' };
  return { content: { type: 'tool_use', id: 'toolu_' + Date.now(), name, input: step.input }, reason: 'tool_use' };
}

function stream(response, message, block, reason) {
  const send = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const tool = block.type === 'tool_use';
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  send('content_block_start', { index: 0, content_block: tool ? { ...block, input: {} } : { ...block, text: '' } });
  const delta = tool ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) } : { type: 'text_delta', text: block.text };
  send('content_block_delta', { index: 0, delta });
  send('content_block_stop', { index: 0 });
  send('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } });
  send('message_stop', {});
  response.end();
}

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    const json = (status, value) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (!request.url.startsWith('/v1/messages')) return json(404, { type: 'error', error: { type: 'not_found_error', message: 'no such path' } });
    if (request.url.includes('count_tokens')) return json(200, { input_tokens: 1 });
    const asked = JSON.parse(body);
    appendFileSync(process.env.LOG, JSON.stringify(asked) + '\n');
    const { content, reason } = answer(asked);
    const message = { id: 'msg_' + Date.now(), type: 'message', role: 'assistant', model: asked.model, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
    if (asked.stream) return stream(response, message, content, reason);
    json(200, { ...message, content: [content], stop_reason: reason });
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
