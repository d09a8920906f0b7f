// Package mcpserver offers the memories to agents by the Model Context
// Protocol: it owns the tools (names, parameters, words, replies), the tool
// profiles, and the stdio transport with what it takes from sloppy clients.
// The protocol itself is the official SDK's. What a tool does is the memory
// service's affair: a handler decodes, calls, encodes. Handlers know nothing
// of the transport, so that HTTP can serve the same ones.
package mcpserver
