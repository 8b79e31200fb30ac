"""Recurrent layers, a transformer, packed sequences, state dicts, copies and checkpoints."""

import copy
import io

import torch
from torch import nn

torch.manual_seed(0)
embed, lstm = nn.Embedding(20, 8).to("cuda"), nn.LSTM(8, 8, batch_first=True).to("cuda")
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1).to("cuda")
average = copy.deepcopy(encoder)
parameters = [*embed.parameters(), *lstm.parameters(), *encoder.parameters()]
optimizer = torch.optim.Adam(parameters, fused=True)
file = io.BytesIO()
for _step in range(8):
    tokens = torch.randint(20, (3, 6), device="cuda")
    lengths = torch.tensor([6, 4, 2])
    packed = nn.utils.rnn.pack_padded_sequence(embed(tokens), lengths, batch_first=True)
    output, _ = lstm(packed)
    padded, _ = nn.utils.rnn.pad_packed_sequence(output, batch_first=True)
    padding = torch.arange(6, device="cuda")[None, :] >= lengths[:, None].to("cuda")  #! upload
    encoded = encoder(padded, src_key_padding_mask=padding)
    encoded.mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    for own, other in zip(average.parameters(), encoder.parameters(), strict=True):
        own.data.lerp_(other.data, 0.1)
    state = {name: value.cpu() for name, value in encoder.state_dict().items()}  #! host_read
    file.seek(0)
    torch.save(lstm.state_dict(), file)  #! host_read
    file.seek(0)
    lstm.load_state_dict(torch.load(file, map_location="cuda"))  #! upload
