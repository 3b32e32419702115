"""A model on loopback: answers agents in their own wire protocol with what a test scripted.

    with serve(lambda asked: "hello") as server:
        run_agent(base_url=server.url)
    assert ["say hello"] == [asked.said for asked in server.asked]

A script sees no difference between protocols; `Asked.body` is there for what only one of them has.
It answers with a text, or with a `Reply`: texts, calls of the agent's tools, and what can go wrong.

    Reply(calls=(ToolCall("Read", {"file_path": "a.py"}),))   the agent is to call a tool
    Reply(status=429, headers={"Retry-After": "1"}, error="slow down")
    Reply(stalls=True)                                        no answer while the server runs
    Reply(("half of it",), drops=True)                        the connection breaks in the middle

What a script asserts counts: the agent is refused, and the error is raised where the block ends.

To test a workflow of your own, start an agent with its base URL at `server.url`, and a key that is
none; README.md says how to install this. A further protocol is one module with a `WIRE` and one
entry in `server.WIRES`.

conversation  requests and replies, whichever protocol brings them
wire          what a protocol has to say
server        the server
anthropic     POST /v1/messages                      ANTHROPIC_BASE_URL=server.url
gemini        POST /v1beta/models/NAME:METHOD        GOOGLE_GEMINI_BASE_URL=server.url
responses     POST /v1/responses                     OPENAI_BASE_URL=server.url + "/v1"
chat          POST /v1/chat/completions              the same
"""

from modelserver.conversation import Asked, Message, Reply, ToolCall
from modelserver.server import ModelServer, Script, serve

__all__ = ["Asked", "Message", "ModelServer", "Reply", "Script", "ToolCall", "serve"]
